/// Cases for matching queries and fragments, and for the options of a component.
enum MatchingQueryCases {
    static let all: [MatchingCase] = missing + text + items + fragments + cases + encodings

    private static let missing =
        MatchingCase.component(
            "A missing key is `*`. An absent query or fragment is the empty string: `*` matches it, `?*` does not. `{}` matches all",
            [
                ("nothing asked, root", "{}", "/", true), ("nothing asked, everything there", "{}", "/a/b?c=d#e", true),
                ("nothing asked, a comment", "{\"comment\":\"all of it\"}", "/a", true),
                ("nothing asked, an unknown key", "{\"path\":\"/b\"}", "/a", true),
                ("only a path, URL with query", "{\"/\":\"/a\"}", "/a?b=c", true),
                ("only a path, URL with fragment", "{\"/\":\"/a\"}", "/a#b", true),
                ("only a query", "{\"?\":\"b\"}", "/any?b", true), ("only a fragment", "{\"#\":\"b\"}", "/any#b", true),
                ("star takes an absent query", "{\"?\":\"*\"}", "/a", true),
                ("one or more takes no absent query", "{\"?\":\"?*\"}", "/a", false),
                ("one or more takes no empty query", "{\"?\":\"?*\"}", "/a?", false),
                ("one or more takes a query", "{\"?\":\"?*\"}", "/a?b", true),
                ("the empty pattern takes an absent query", "{\"?\":\"\"}", "/a", true),
                ("the empty pattern takes an empty query", "{\"?\":\"\"}", "/a?", true),
                ("the empty pattern takes no query", "{\"?\":\"\"}", "/a?b", false),
                ("star takes an absent fragment", "{\"#\":\"*\"}", "/a", true),
                ("one or more takes no absent fragment", "{\"#\":\"?*\"}", "/a", false),
                ("one or more takes no empty fragment", "{\"#\":\"?*\"}", "/a#", false),
                ("the empty pattern takes an absent fragment", "{\"#\":\"\"}", "/a", true),
                ("the empty pattern takes no fragment", "{\"#\":\"\"}", "/a#b", false),
                ("every key must match, all do", "{\"/\":\"/a\",\"?\":\"b\",\"#\":\"c\"}", "/a?b#c", true),
                ("every key must match, not the path", "{\"/\":\"/a\",\"?\":\"b\",\"#\":\"c\"}", "/x?b#c", false),
                ("every key must match, not the query", "{\"/\":\"/a\",\"?\":\"b\",\"#\":\"c\"}", "/a?x#c", false),
                ("every key must match, not the fragment", "{\"/\":\"/a\",\"?\":\"b\",\"#\":\"c\"}", "/a?b#x", false),
            ])

    private static let text =
        MatchingCase.component(
            "Query as a string: the whole query in its order",
            [
                ("equal", "{\"?\":\"a=1&b=2\"}", "/?a=1&b=2", true),
                ("another order", "{\"?\":\"a=1&b=2\"}", "/?b=2&a=1", false),
                ("a part", "{\"?\":\"a=1\"}", "/?a=1&b=2", false),
                ("a part and a star", "{\"?\":\"a=1*\"}", "/?a=1&b=2", true),
                ("a star in front", "{\"?\":\"*b=2\"}", "/?a=1&b=2", true),
                ("stars around", "{\"?\":\"*b=2*\"}", "/?a=1&b=2&c=3", true),
                ("a request mark in the query", "{\"?\":\"a?b\"}", "/?a?b", true),
                ("no normalization of slashes", "{\"?\":\"a//b\"}", "/?a/b", false),
                ("slashes as they are", "{\"?\":\"a//b\"}", "/?a//b", true),
                ("a trailing slash counts", "{\"?\":\"a=1\"}", "/?a=1/", false),
                ("the end does not satisfy a slash and star", "{\"?\":\"a/*\"}", "/?a", false),
                ("a variable", "{\"?\":\"id=$(digit)\"}", "/?id=4", true),
                ("the request mark in front is no part of it", "{\"?\":\"?a=1\"}", "/?a=1", false),
            ])

    private static let items =
        MatchingCase.component(
            "As a dictionary: every named item must match, others are ignored; an absent item, or one without `=`, is \"\"; "
                + "a repeated name must match each time. One value that is not a string voids the whole dictionary",
            [
                ("the item", "{\"?\":{\"a\":\"1\"}}", "/?a=1", true),
                ("another value", "{\"?\":{\"a\":\"1\"}}", "/?a=2", false),
                ("others are ignored", "{\"?\":{\"a\":\"1\"}}", "/?x=9&a=1&y=8", true),
                ("two items in another order", "{\"?\":{\"a\":\"1\",\"b\":\"2\"}}", "/?b=2&a=1", true),
                ("two items, one missing", "{\"?\":{\"a\":\"1\",\"b\":\"2\"}}", "/?a=1", false),
                ("two items, one wrong", "{\"?\":{\"a\":\"1\",\"b\":\"2\"}}", "/?a=1&b=3", false),
                ("absent and star", "{\"?\":{\"a\":\"*\"}}", "/", true),
                ("absent and one or more", "{\"?\":{\"a\":\"?*\"}}", "/", false),
                ("absent and the empty pattern", "{\"?\":{\"a\":\"\"}}", "/?b=1", true),
                ("without equals sign and star", "{\"?\":{\"a\":\"*\"}}", "/?a", true),
                ("without equals sign and the empty pattern", "{\"?\":{\"a\":\"\"}}", "/?a", true),
                ("without equals sign and one or more", "{\"?\":{\"a\":\"?*\"}}", "/?a", false),
                ("empty value and one or more", "{\"?\":{\"a\":\"?*\"}}", "/?a=", false),
                ("repeated, all match", "{\"?\":{\"a\":\"1*\"}}", "/?a=1&a=12", true),
                ("repeated, the last does not", "{\"?\":{\"a\":\"1*\"}}", "/?a=1&a=2", false),
                ("repeated, the first does not", "{\"?\":{\"a\":\"1*\"}}", "/?a=2&a=1", false),
                ("repeated, one without a value", "{\"?\":{\"a\":\"?*\"}}", "/?a=1&a", false),
                ("the first equals sign divides", "{\"?\":{\"a\":\"b=c\"}}", "/?a=b=c", true),
                ("the value ends at the ampersand", "{\"?\":{\"a\":\"1*\"}}", "/?b=1&a=2&c=1", false),
                ("a value crosses a slash", "{\"?\":{\"u\":\"*/end\"}}", "/?u=a/b/end", true),
                ("an empty dictionary", "{\"?\":{}}", "/?a=1", true),
                ("an empty dictionary, no query", "{\"?\":{}}", "/", true),
                ("a number voids it", "{\"?\":{\"a\":\"1\",\"b\":2}}", "/?a=7", true),
                ("true voids it", "{\"?\":{\"a\":true}}", "/", true),
                ("null voids it", "{\"?\":{\"a\":null,\"b\":\"x\"}}", "/?b=y", true),
                ("the name's case counts", "{\"?\":{\"a\":\"1\"}}", "/?A=1", false),
                ("a name is no pattern", "{\"?\":{\"a*\":\"1\"}}", "/?ab=1", false),
                ("a name with a star, exactly", "{\"?\":{\"a*\":\"1\"}}", "/?a*=1", true),
                ("the empty name", "{\"?\":{\"\":\"1\"}}", "/?=1", true),
                ("a variable in a value", "{\"?\":{\"a\":\"$(digit)\"}}", "/?a=5", true),
                ("a class that no absent item fulfils", "{\"?\":{\"a\":\"$(digit)\"}}", "/", false),
                ("a semicolon divides nothing", "{\"?\":{\"b\":\"2\"}}", "/?a=1;b=2", false),
                ("a plus is a plus", "{\"?\":{\"a\":\"b+c\"}}", "/?a=b+c", true),
            ])

    private static let fragments =
        MatchingCase.component(
            "A component: `/`, `?`, `#`; the whole part must match",
            [
                ("equal", "{\"#\":\"top\"}", "/#top", true), ("other", "{\"#\":\"top\"}", "/#end", false),
                ("longer", "{\"#\":\"top\"}", "/#topmost", false), ("star", "{\"#\":\"top*\"}", "/#topmost", true),
                ("path-like", "{\"#\":\"/buy/*\"}", "/#/buy/42", true),
                ("path-like, no normalization", "{\"#\":\"/buy/*\"}", "/#/buy", false),
                ("no leading slash is added", "{\"#\":\"buy\"}", "/#/buy", false),
                ("class", "{\"#\":\"$(digit)\"}", "/#1", true),
                ("a pattern that is no string is a star", "{\"#\":5}", "/#x", true),
                ("a path that is no string is a star", "{\"/\":[\"/a\"]}", "/b", true),
                ("a query that is no string is a star", "{\"?\":true}", "/?b", true),
            ])

    private static let cases =
        MatchingCase.component(
            "`caseSensitive` defaults to true",
            [
                ("by default", "{\"/\":\"/Buy\"}", "/buy", false),
                ("true", "{\"/\":\"/Buy\",\"caseSensitive\":true}", "/buy", false),
                ("false, pattern in upper case", "{\"/\":\"/BUY\",\"caseSensitive\":false}", "/buy", true),
                ("false, URL in upper case", "{\"/\":\"/buy\",\"caseSensitive\":false}", "/BUY", true),
                ("false, other text", "{\"/\":\"/buy\",\"caseSensitive\":false}", "/sell", false),
                ("false, query", "{\"?\":\"Q=A\",\"caseSensitive\":false}", "/?q=a", true),
                ("false, value of an item", "{\"?\":{\"q\":\"A\"},\"caseSensitive\":false}", "/?q=a", true),
                ("false, name of an item", "{\"?\":{\"Q\":\"a\"},\"caseSensitive\":false}", "/?q=a", false),
                ("false, fragment", "{\"#\":\"TOP\",\"caseSensitive\":false}", "/#top", true),
                ("true, fragment", "{\"#\":\"TOP\"}", "/#top", false),
                ("false, escape", "{\"/\":\"/%c3%a9\",\"caseSensitive\":false}", "/%C3%A9", true),
                ("true, escape", "{\"/\":\"/%c3%a9\"}", "/%C3%A9", false),
                ("false, upper class", "{\"/\":\"/$(upper)\",\"caseSensitive\":false}", "/a", true),
                ("false, lower class", "{\"/\":\"/$(lower)\",\"caseSensitive\":false}", "/A", true),
                ("false, hexadecimal class", "{\"/\":\"/$(xdigit)\",\"caseSensitive\":false}", "/G", false),
                ("false, region", "{\"/\":\"/$(region)\",\"caseSensitive\":false}", "/gb", true),
                (
                    "false, letters beyond ASCII, decoded",
                    "{\"/\":\"/É\",\"caseSensitive\":false,\"percentEncoded\":false}", "/é", true
                ),
                (
                    "false, no two letters for one", "{\"/\":\"/ß\",\"caseSensitive\":false,\"percentEncoded\":false}",
                    "/SS", false
                ),
                ("no boolean is the default", "{\"/\":\"/Buy\",\"caseSensitive\":\"false\"}", "/buy", false),
            ])

    private static let encodings =
        MatchingCase.component(
            "`percentEncoded` true: compare as written; false: the URL is decoded, the pattern is not",
            [
                ("default, pattern encoded", "{\"/\":\"/%C3%A9\"}", "/é", true),
                ("default, pattern raw", "{\"/\":\"/é\"}", "/é", false),
                ("default, both encoded", "{\"/\":\"/a%20b\"}", "/a%20b", true),
                ("default, pattern raw space", "{\"/\":\"/a b\"}", "/a%20b", false),
                ("default, needless escape in the URL", "{\"/\":\"/a\"}", "/%61", false),
                ("true", "{\"/\":\"/é\",\"percentEncoded\":true}", "/%C3%A9", false),
                ("false, pattern raw", "{\"/\":\"/é\",\"percentEncoded\":false}", "/%C3%A9", true),
                ("false, URL raw", "{\"/\":\"/é\",\"percentEncoded\":false}", "/é", true),
                ("false, pattern encoded", "{\"/\":\"/%C3%A9\",\"percentEncoded\":false}", "/%C3%A9", false),
                ("false, the per cent sign encoded", "{\"/\":\"/%C3\",\"percentEncoded\":false}", "/%25C3", true),
                ("false, needless escape in the URL", "{\"/\":\"/a\",\"percentEncoded\":false}", "/%61", true),
                ("false, space", "{\"/\":\"/a b\",\"percentEncoded\":false}", "/a%20b", true),
                (
                    "false, one character for a request mark", "{\"/\":\"/?\",\"percentEncoded\":false}", "/%C3%A9",
                    true
                ),
                ("true, six characters", "{\"/\":\"/??????\"}", "/%C3%A9", true),
                ("false, a decoded slash", "{\"/\":\"/a/b\",\"percentEncoded\":false}", "/a%2Fb", true),
                ("false, a decoded trailing slash", "{\"/\":\"/a\",\"percentEncoded\":false}", "/a%2F", true),
                ("true, an encoded slash is none", "{\"/\":\"/a/b\"}", "/a%2Fb", false),
                ("false, no UTF-8 stays as written", "{\"/\":\"/%FF\",\"percentEncoded\":false}", "/%FF", true),
                ("false, query", "{\"?\":\"q=ü\",\"percentEncoded\":false}", "/?q=%C3%BC", true),
                ("false, value of an item", "{\"?\":{\"q\":\"a&b\"},\"percentEncoded\":false}", "/?q=a%26b", true),
                ("true, value of an item", "{\"?\":{\"q\":\"a%26b\"}}", "/?q=a%26b", true),
                ("false, name of an item", "{\"?\":{\"ü\":\"1\"},\"percentEncoded\":false}", "/?%C3%BC=1", true),
                ("true, name of an item", "{\"?\":{\"ü\":\"?*\"}}", "/?%C3%BC=1", false),
                ("false, fragment", "{\"#\":\"ü\",\"percentEncoded\":false}", "/#%C3%BC", true),
                ("no boolean is the default", "{\"/\":\"/é\",\"percentEncoded\":0}", "/é", false),
            ])
}
