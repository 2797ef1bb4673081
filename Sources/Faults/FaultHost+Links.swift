import AssociationDiagnostics
import MotivatorPlatform

extension FaultHost {
    /// The hosts whose file has one mistake in the rules of its links. The mistake does not affect passwords.
    ///
    /// The rules in the table are the components of a detail for the app, or the content of `applinks`. APP and OTHER
    /// are the apps.
    static let universalLinks = PackageResources.links_tsv.tableRows.map { row in
        let sources = ["applinks": Source.applinks, "appSearch": .appSearch, "observed": .observed]
        return FaultHost(
            .links, row[0], row[5], "AAAA", codes(row[2]), source: sources[row[1]],
            links: row[4].split(separator: ", ").map(String.init)
        ) { shop in
            let isWhole = ["{\"details\"", "{\"defaults\"", "{\"substitutionVariables\""].contains(
                where: row[3].hasPrefix)
            let rules = isWhole ? row[3] : #"{"details": [{"appIDs": ["APP"], "components": [\#(row[3])]}]}"#
            let named = rules.replacing("APP", with: "\(shop.file.app)").replacing("OTHER", with: shop.file.other)
            return try shop.content(shop.file.replacing(applinks: named))
        }
    }

    static func codes(_ words: String) -> [Code] {
        words.split(separator: " ").compactMap { word in Code.allCases.first { $0.text == word } }
    }
}
