/// Cases for matching paths.
enum MatchingPathCases {
    static let all: [MatchingCase] = wildcards + wholePart + normalization + tail + classes + codes + own

    private static let wildcards =
        MatchingCase.path(
            "`*` zero or more, `?` exactly one, `?*` one or more; they cross `/`; no escapes",
            [
                ("star takes nothing", "/a*b", "/ab", true), ("star takes one", "/a*b", "/axb", true),
                ("star takes many", "/a*b", "/axyzb", true), ("star crosses a slash", "/a*b", "/ax/y/b", true),
                ("star takes what the rest needs only once", "/a*b", "/abab", true),
                ("star gives back for the end", "/*.html", "/a.html/b.html", true),
                ("star needs its rest", "/a*b", "/axc", false), ("star does not reuse", "/a*a", "/a", false),
                ("two stars", "/*a*b", "/xaxxb", true), ("two stars in order", "/*a*b", "/b/a", false),
                ("three stars", "/a*b*c*d", "/a1b2c3d", true),
                ("three stars, one missing", "/a*b*c*d", "/a1b2d", false),
                ("overlap is not counted twice", "/*ab*ba", "/aba", false), ("no overlap", "/*ab*ba", "/abba", true),
                ("request mark takes one", "/a?b", "/axb", true),
                ("request mark takes no nothing", "/a?b", "/ab", false),
                ("request mark takes no two", "/a?b", "/axyb", false),
                ("request mark crosses a slash", "/a?b", "/a/b", true),
                ("request mark at the end", "/a?", "/ab", true), ("request mark needs the end", "/a?", "/a", false),
                ("two request marks", "/??", "/ab", true),
                ("two request marks, three characters", "/??", "/abc", false),
                ("one or more takes one", "/a/?*", "/a/b", true), ("one or more takes many", "/a/?*", "/a/b/c", true),
                ("one or more takes no nothing", "/a/?*", "/a", false),
                ("one or more takes no trailing slash", "/a/?*", "/a/", false),
                ("one or more, reversed", "/a/*?", "/a/b", true), ("reversed needs one too", "/a/*?", "/a/", false),
                ("a star behind a request mark and text", "/?b*", "/abc", true),
                ("no escape: backslash is a character", "/a\\\\*b", "/a*b", false),
                ("a star in the URL is taken by a star", "/a*b", "/a*b", true),
                ("a star in the URL is a character", "/axb", "/a*b", false),
                ("no sets", "/[ab]", "/a", false), ("a bracket is a character", "/[ab]", "/[ab]", true),
                ("no choices", "/{a,b}", "/a", false), ("a dot is a character", "/a.b", "/axb", false),
                ("a plus is a character", "/a+", "/aa", false), ("a plus matches itself", "/a+", "/a+", true),
                ("a dollar is a character", "/a$", "/a", false), ("a dollar matches itself", "/a$b", "/a$b", true),
                ("a star takes escapes of the URL", "/a/*", "/a/%C3%A9", true),
                ("a request mark takes one character of an escape", "/?", "/%41", false),
                ("three request marks take an escape", "/???", "/%41", true),
            ])

    private static let wholePart =
        MatchingCase.path(
            "the whole part must match",
            [
                ("equal", "/buy", "/buy", true), ("longer URL", "/buy", "/buyer", false),
                ("shorter URL", "/buy", "/bu", false), ("a directory is not its content", "/buy", "/buy/42", false),
                ("suffix alone", "/buy", "/a/buy", false), ("other", "/buy", "/sell", false),
                ("the case of the path counts by default", "/buy", "/Buy", false),
                ("dot segments are resolved", "/b", "/a/../b", true),
                ("encoded dot segments are resolved", "/b/*", "/a/%2E%2e/b/./c", true),
                ("a parameter belongs to the path", "/a", "/a;v=1", false),
                ("a parameter is taken by a star", "/a*", "/a;v=1", true),
                ("the query is not part of the path", "/a", "/a?b", true),
                ("the fragment is not part of the path", "/a", "/a#/b", true),
                ("deep", "/a/b/c/d/e", "/a/b/c/d/e", true), ("deep, one differs", "/a/b/c/d/e", "/a/b/x/d/e", false),
                ("prefix and star", "/buy*", "/buyer", true), ("prefix and star, alone", "/buy*", "/buy", true),
                ("prefix and star, deeper", "/buy*", "/buy/42", true), ("star in front", "*buy", "/a/buy", true),
                ("star on both sides", "*buy*", "/a/buyer", true),
                ("star on both sides, missing", "*buy*", "/a/b", false),
            ])

    private static let normalization =
        MatchingCase.path(
            "`**` is `*`, `//` is `/`, the leading slash is optional, a trailing slash does not count, the empty path is `/`",
            [
                ("two stars are one", "/a/**", "/a/b/c", true), ("three stars are one", "/a/***/b", "/a/x/b", true),
                ("two stars and the directory itself", "/a/**", "/a", true),
                ("two stars in the URL are one", "/a?b", "/a**b", true),
                ("three stars in the URL are one", "/a*b", "/a***b", true),
                ("two slashes in the pattern", "//a//b", "/a/b", true),
                ("two slashes in the URL", "/a/b", "//a//b", true),
                ("many slashes in both", "/a///b", "/a/////b", true),
                ("two slashes take one request mark", "/a?b", "/a//b", true),
                ("no leading slash in the pattern", "a/b", "/a/b", true),
                ("no leading slash and a star", "a/*", "/a/b", true), ("no leading slash, other", "a", "/b", false),
                ("star without a leading slash", "*", "/a", true),
                ("star without a leading slash, root", "*", "/", true),
                ("one or more without a leading slash", "?*", "/a", true),
                ("one or more without a leading slash, root", "?*", "/", false),
                ("trailing slash in the pattern", "/a/", "/a", true), ("trailing slash in the URL", "/a", "/a/", true),
                ("trailing slashes in both", "/a/", "/a/", true), ("two trailing slashes", "/a", "/a//", true),
                ("a trailing slash is no character", "/a?", "/a/", false),
                ("trailing slash behind a star", "/a/*/", "/a/b", true),
                ("trailing slash behind a star, directory", "/a/*/", "/a", true),
                ("the empty path is the root", "/", "", true), ("the root is the empty pattern", "", "/", true),
                ("empty and empty", "", "", true), ("empty pattern, other path", "", "/a", false),
                ("root pattern, other path", "/", "/a", false), ("two slashes are the root", "//", "/", true),
                ("root and query", "/", "?a=b", true), ("root and fragment", "/", "#a", true),
                ("star takes the empty path", "/*", "", true), ("star takes the root", "/*", "/", true),
            ])

    private static let tail =
        MatchingCase.path(
            "`/buy/*` matches `/buy`, `/buy/`, `/buy/42`, not `/buyer`; `/a/*/c` does not match `/a/c`",
            [
                ("the directory without slash", "/buy/*", "/buy", true), ("the directory", "/buy/*", "/buy/", true),
                ("what is in it", "/buy/*", "/buy/42", true), ("what is deeper in it", "/buy/*", "/buy/42/x", true),
                ("what only begins so", "/buy/*", "/buyer", false),
                ("what begins so, with slash", "/buy/*", "/buyer/1", false),
                ("a shorter one", "/buy/*", "/bu", false), ("the root is not in it", "/buy/*", "/", false),
                ("a star in the middle needs both slashes", "/a/*/c", "/a/c", false),
                ("a star in the middle", "/a/*/c", "/a/b/c", true),
                ("a star in the middle, deep", "/a/*/c", "/a/b/b/c", true),
                ("a star in the middle, empty", "/a/*/c", "/a//c", false),
                ("star, then the tail", "/a*/*", "/abc", true),
                ("star, then the tail, deeper", "/a*/*", "/abc/d", true),
                ("text behind a star, then the tail", "/*/b/*", "/a/b", true),
                ("text behind a star, then the tail, deeper", "/*/b/*", "/a/b/c", true),
                ("text behind a star, then the tail, longer word", "/*/b/*", "/a/bc", false),
                ("text behind a star, its second place fits", "/*/b/*", "/a/bc/b", true),
                ("two stars as directories", "/a/*/*", "/a/b", true),
                ("two stars as directories need one", "/a/*/*", "/a", false),
                ("the case of the directory counts", "/buy/*", "/Buy", false),
                ("a variable in front of the tail", "/$(digit)/*", "/1", true),
                ("a variable in front of the tail, longer", "/$(digit)/*", "/12", false),
                ("codes in front of the tail", "/$(lang)/*", "/de", true),
                ("codes in front of the tail, deeper", "/$(lang)/*", "/de/x", true),
                ("codes in front of the tail, longer word", "/$(lang)/*", "/dexy/x", false),
            ])

    private static let classes =
        MatchingCase.path(
            "`$(alpha) $(upper) $(lower) $(alnum) $(digit) $(xdigit)` are one character each; names case-sensitive",
            [
                ("alpha, lower", "/$(alpha)", "/a", true), ("alpha, upper", "/$(alpha)", "/Z", true),
                ("alpha, digit", "/$(alpha)", "/1", false), ("alpha, two", "/$(alpha)", "/ab", false),
                ("alpha, none", "/$(alpha)", "/", false), ("alpha, twice", "/$(alpha)$(alpha)", "/ab", true),
                ("upper", "/$(upper)", "/A", true), ("upper, lower", "/$(upper)", "/a", false),
                ("lower", "/$(lower)", "/a", true), ("lower, upper", "/$(lower)", "/A", false),
                ("alnum, letter", "/$(alnum)", "/z", true), ("alnum, digit", "/$(alnum)", "/0", true),
                ("alnum, hyphen", "/$(alnum)", "/-", false), ("digit, first", "/$(digit)", "/0", true),
                ("digit, last", "/$(digit)", "/9", true), ("digit, letter", "/$(digit)", "/a", false),
                ("digit, slash", "/a$(digit)b", "/a/b", false), ("xdigit, lower", "/$(xdigit)", "/f", true),
                ("xdigit, upper", "/$(xdigit)", "/F", true), ("xdigit, digit", "/$(xdigit)", "/7", true),
                ("xdigit, g", "/$(xdigit)", "/g", false),
                ("digits behind a star", "/*$(digit)$(digit)", "/a/b12", true),
                ("digits behind a star, one only", "/*$(digit)$(digit)", "/a/b1", false),
                ("digits between stars", "/*$(digit)*", "/a1b", true),
                ("digits between stars, none", "/*$(digit)*", "/ab", false),
                ("names are case-sensitive", "/$(Digit)", "/1", false),
                ("no space in a name", "/$( digit)", "/1", false),
                ("an unknown name is text", "/$(digits)", "/$(digits)", true),
                ("an unclosed name is text", "/$(digit", "/$(digit", true),
                ("an empty name is text", "/$()", "/$()", true),
                ("a variable inside of brackets", "/$($(digit))", "/$(1)", true),
                ("a dollar in front of a variable", "/$$(digit)", "/$1", true),
            ])

    private static let codes =
        MatchingCase.path(
            "`$(lang)`, `$(region)` are the ISO codes (GB, not UK)",
            [
                ("a language of ISO 639-1", "/$(lang)/a", "/de/a", true),
                ("a language of ISO 639-2/T", "/$(lang)/a", "/deu/a", true),
                ("a language of ISO 639-2/B", "/$(lang)/a", "/ger/a", true),
                ("no language", "/$(lang)/a", "/xx/a", false), ("one letter", "/$(lang)/a", "/d/a", false),
                ("languages are in lower case", "/$(lang)/a", "/DE/a", false),
                ("a region", "/$(region)/a", "/DE/a", true),
                ("the United Kingdom is GB", "/$(region)/a", "/GB/a", true),
                ("the United Kingdom is not UK", "/$(region)/a", "/UK/a", false),
                ("regions are in upper case", "/$(region)/a", "/de/a", false),
                ("three letters are no region", "/$(region)/a", "/DEU/a", false),
                ("language and region", "/$(lang)-$(region)/*", "/de-AT/x", true),
                ("language and region, wrong order", "/$(lang)-$(region)/*", "/AT-de/x", false),
                ("the longer code where the shorter one is a part of it", "/$(lang)x", "/enmx", true),
                ("the shorter code of the two", "/$(lang)mx", "/enmx", true),
                ("codes behind a star", "/*/$(lang)", "/a/b/fr", true),
                ("codes at the beginning", "$(lang)", "/fr", true),
                ("a code between stars", "/*-$(lang)-*", "/x-fr-y", true),
            ])

    /// Cases with the file's own variables.
    private static let own: [MatchingCase] = {
        let source = "own variables: arrays of strings with `*` and `?` but no variables; names case-sensitive"
        let variables = """
            {"food":["burrito","pizza","sushi"],"Food":["soup"],"long":["a","ab","abc"],"wild":["x*y","q?"],\
            "empty":[],"blank":["","a"],"nested":["$(digit)"],"digit":["ten"],"all":["*"],"one":["?"],"text":"pizza",\
            "mixed":["a",5],"slash":["a/b"],"UP":["Ab"]}
            """
        let rows: [(String, String, String, Bool)] = [
            ("a value", "/$(food)", "/pizza", true), ("no value", "/$(food)", "/pasta", false),
            ("a value and more", "/$(food)", "/pizzas", false), ("half a value", "/$(food)", "/piz", false),
            ("text behind it", "/$(food)/menu", "/sushi/menu", true),
            ("star behind it", "/$(food)*", "/burritos", true),
            ("names are case-sensitive", "/$(Food)", "/soup", true),
            ("names are case-sensitive, the other", "/$(Food)", "/pizza", false),
            ("values that begin alike, short", "/$(long)d", "/ad", true),
            ("values that begin alike, long", "/$(long)d", "/abcd", true),
            ("values that begin alike, neither", "/$(long)d", "/abcdd", false),
            ("one of several ways fits", "/$(long)$(long)c", "/ababcc", true),
            ("twice", "/$(food)/$(food)", "/pizza/sushi", true),
            ("twice, differently", "/$(food)$(food)", "/pizzasushi", true),
            ("a star in a value", "/$(wild)", "/xaby", true),
            ("a star in a value takes nothing", "/$(wild)", "/xy", true),
            ("a star in a value crosses a slash", "/$(wild)", "/xa/by", true),
            ("a star in a value needs its end", "/$(wild)", "/xab", false),
            ("a request mark in a value", "/$(wild)", "/qa", true),
            ("a request mark in a value takes no nothing", "/$(wild)", "/q", false),
            ("no values", "/a$(empty)", "/a", false), ("an empty value", "/x$(blank)", "/x", true),
            ("an empty value, the other", "/x$(blank)", "/xa", true),
            ("no variables in a value", "/$(nested)", "/1", false),
            ("a variable in a value is text", "/$(nested)", "/$(digit)", true),
            ("a built-in name wins", "/$(digit)", "/1", true),
            ("a built-in name wins, own value", "/$(digit)", "/ten", false),
            ("a star as value", "/a/$(all)", "/a/b/c", true), ("a request mark as value", "/a$(one)", "/ab", true),
            ("no array", "/$(text)", "/pizza", false), ("the strings of a mixed array", "/$(mixed)", "/a", true),
            ("a slash in a value", "/$(slash)/c", "/a/b/c", true),
            ("the case of a value counts", "/$(UP)", "/ab", false),
            ("behind a star", "/*/$(food)", "/a/b/pizza", true),
            ("behind a star, no value", "/*/$(food)", "/a/b/c", false),
            ("between stars", "/*$(food)*", "/my-pizza-menu", true),
            ("between stars, no value", "/*$(food)*", "/my-menu", false),
            ("behind a star, then the tail", "/*/$(food)/*", "/a/pizza", true),
            ("behind a star, then the tail, longer word", "/*/$(food)/*", "/a/pizzas", false),
            ("an undefined variable is text", "/$(drink)", "/$(drink)", true),
        ]
        return rows.map { name, pattern, path, matches in
            MatchingCase(
                name, source: source,
                applinks: """
                    {"substitutionVariables":\(variables),"details":[{"appIDs":["\(MatchingCase.app)"],\
                    "components":[{"/":"\(pattern)"}]}]}
                    """,
                url: "https://example.com" + path, matches ? .matched() : .unmatched)
        }
    }()
}
