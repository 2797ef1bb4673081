/// Texts with invalid strings, words and endings.
extension BrokenText {
    static let quotes: [BrokenText] = [
        BrokenText(
            #"{“a”: “b”, ‘c’: ‘it’s’}"#,
            "1:2 typographicQuote, 1:7 typographicQuote, 1:12 typographicQuote, 1:17 typographicQuote",
            #"{"a":"b","c":"it’s"}"#, "RFC 8259, 7"),
        BrokenText(
            #"{“a": ["b”, “c”]}"#, "1:2 typographicQuote, 1:15 typographicQuote", #"{"a":["b”, “c"]}"#,
            "RFC 8259, 7: a pair of two kinds"),
        BrokenText(
            #"["/app/*”, "/b/*”]"#, "1:9 typographicQuote, 1:17 typographicQuote", #"["/app/*","/b/*"]"#,
            "RFC 8259, 7: the closing quotes alone"),
        BrokenText(
            #"["/app/*”, "b", "c"]"#, "1:9 typographicQuote", #"["/app/*","b","c"]"#,
            "RFC 8259, 7: a closing quote alone"),
        BrokenText(
            #"["/app/*”\#n]"#, "1:9 typographicQuote", #"["/app/*"]"#,
            "RFC 8259, 7: a closing quote alone, at the end of a line"),
        BrokenText(
            #"{"a”: "b"}"#, "1:4 typographicQuote", #"{"a":"b"}"#, "RFC 8259, 7: the closing quote of a key alone"),
        BrokenText(
            #"{"a": ”b", "c": [ ”/a/*", "x" ]}"#, "1:7 typographicQuote, 1:19 typographicQuote",
            #"{"a":"b","c":["/a/*","x"]}"#, "RFC 8259, 7: the opening quotes alone"),
        BrokenText(
            #"["say “hi” there", 5 6]"#, "1:21 missingComma", #"["say “hi” there",5,6]"#,
            "RFC 8259, 5: the typographic quotes are part of the text"),
        BrokenText(
            #"{'a': 'it\'s', 'b': ['x', 'y']}"#,
            "1:2 singleQuote, 1:7 singleQuote, 1:16 singleQuote, 1:22 singleQuote, 1:27 singleQuote",
            #"{"a":"it's","b":["x","y"]}"#, "RFC 8259, 7"),
        BrokenText(
            #"{ "a": 'b", "c": 'd }"#, "1:8 singleQuote, 1:18 singleQuote", #"{"a":"b","c":"d"}"#,
            "RFC 8259, 7: without the right closing quote"),
        BrokenText(#"[`a`]"#, "1:2 singleQuote", #"["a"]"#, "RFC 8259, 7"),
        BrokenText(
            #"{\"a\": \"b\"}"#, "1:2 unexpected", #"{}"#, "RFC 8259, 7: copied out of a string"),
        BrokenText(
            #"{"a": "b,\#n "c": ["x]\#n}"#, "1:7 unclosedString, 2:8 unclosedString", #"{"a":"b","c":["x"]}"#,
            "RFC 8259, 7: closing quotes left out"),
        BrokenText(
            #"{"a": ["b, "c"], "d": ["*, "/*"]}"#, "1:13 missingComma, 1:29 comment, 1:29 cutOff",
            #"{"a":["b"],"d":["*, "]}"#, "RFC 8259, 7: closing quotes left out within a line"),
        BrokenText(
            #"{"a": "b, "c": 1}"#, "1:12 missingComma", #"{"a":"b"}"#,
            "RFC 8259, 7: the closing quote of a value left out"),
        BrokenText(
            #"{"a: "b"}"#, "1:7 missingColon", #"{}"#, "RFC 8259, 7: the closing quote of a key left out"),
        BrokenText(
            #"{a": 1, "b": ["c", d"]}"#, "1:2 unquotedKey, 1:20 unknownWord", #"{"a":1,"b":["c","d"]}"#,
            "RFC 8259, 7: opening quotes left out"),
        BrokenText(
            #"{"a": "first\#nsecond line", "b": 1}"#, "1:7 unclosedString", #"{"a":"first","b":1}"#,
            "RFC 8259, 7: a string of two lines"),
        BrokenText(
            #"["00:0A\#n00:0B", 1]"#, "1:2 unclosedString", #"["00:0A",1]"#,
            "RFC 8259, 7: an array has no keys, so the second line is a part of the string"),
        BrokenText(
            #"{"a": "first\#n", "b": 1}"#, "1:7 unclosedString", #"{"a":"first","b":1}"#,
            "RFC 8259, 7: a line end before the closing quote"),
        BrokenText(
            #"{"a": "say "hi" now", "b": "y"}"#, "1:13 missingComma", #"{"a":"say ","b":"y"}"#,
            "RFC 8259, 7: quotes without escapes"),
        BrokenText(
            #"{\#n"a": "x"",\#n"b": ""y"\#n}"#, "2:9 missingComma, 3:8 missingComma", #"{"a":"x","b":""}"#,
            "RFC 8259, 7: doubled quotes"),
        BrokenText(#"{"a": @"x"}"#, "1:7 unexpected", #"{"a":"x"}"#, "RFC 8259, 7: a literal of another language"),
    ]

    static let characters: [BrokenText] = [
        BrokenText(
            #"["a\#tb", "c\#t\#t\#td"]"#, "1:4 controlCharacter, 1:11 controlCharacter", #"["a\tb","c\t\t\td"]"#,
            "RFC 8259, 7: control characters in a row are one slip"),
        BrokenText(
            #"["\x41", "\*", "a\\#nb"]"#, "1:3 unknownEscape, 1:11 unknownEscape, 1:18 unknownEscape",
            #"["x41","*","ab"]"#, "RFC 8259, 7: the character stands for itself"),
        BrokenText(#"["\u12", "\u{41}"]"#, "1:3 shortEscape, 1:11 shortEscape", #"["�","�{41}"]"#, "RFC 8259, 7"),
        BrokenText(
            #"["\uD83D\u12", "\uD83Dx", "\uDC00\uD83D"]"#,
            "1:3 shortEscape, 1:17 loneSurrogate, 1:28 loneSurrogate, 1:34 loneSurrogate", #"["�","�x","��"]"#,
            "RFC 8259, 8.2"),
        BrokenText(
            #"["a\qb, "c"]"#, "1:4 unknownEscape, 1:10 missingComma", #"["aqb"]"#,
            "RFC 8259, 7: one fault before the end that was meant"),
    ]

    static let words: [BrokenText] = [
        BrokenText(
            #"{"a":True,"b":FALSE,"c":None,"d":undefined,"e":NaN,"f":-Infinity,"g":yes}"#,
            "1:6 unknownWord, 1:15 unknownWord, 1:25 unknownWord, 1:34 unknownWord, 1:48 unknownWord, 1:56 malformedNumber, 1:70 unknownWord",
            #"{"a":true,"b":false,"c":null,"d":null,"e":null,"f":null,"g":true}"#,
            "RFC 8259, 3: words of other languages"),
        BrokenText(
            #"[01, +1, .5, 0x1F, 9AB.com.example, -, 3]"#,
            "1:2 malformedNumber, 1:6 malformedNumber, 1:10 malformedNumber, 1:14 malformedNumber, 1:20 malformedNumber, 1:37 malformedNumber",
            #"[01,+1,.5,0x1F,"9AB.com.example",3]"#, "RFC 8259, 6"),
        BrokenText(#"[-\#n "a"]"#, "1:2 malformedNumber", #"["a"]"#, "RFC 8259, 6: a sign alone is no value"),
        BrokenText(
            #"{a: 1, b-c: hello world, /: /app/*}"#,
            "1:2 unquotedKey, 1:8 unquotedKey, 1:13 unknownWord, 1:26 unexpected", #"{"a":1,"b-c":"hello world"}"#,
            "RFC 8259, 4: keys and texts without quotes"),
        BrokenText(
            #"{"a": f({"x": 1}), "b": 2}"#, "1:7 unknownWord, 1:17 unexpected", #"{"a":{"x":1},"b":2}"#,
            "RFC 8259, 3: a call"),
        BrokenText(#"True"#, "1:1 unknownWord", #"true"#, "RFC 8259, 3"),
        BrokenText(#"hello"#, "1:1 unknownWord", nil, "RFC 8259, 3"),
    ]

    static let wholes: [BrokenText] = [
        BrokenText(#""#, "1:1 empty", nil, "RFC 8259, 2"),
        BrokenText(#" \#n"#, "1:1 empty", nil, "RFC 8259, 2"),
        BrokenText(#"<!DOCTYPE html><p>{}"#, "1:1 html", nil, isComplete: false, "an error page saved as the file"),
        BrokenText(#"{\rtf1\ansi {}}"#, "1:1 richText", nil, isComplete: false, "a file saved by TextEdit"),
        BrokenText(
            #"\#u{FEFF}{"a":1,}"#, "1:1 byteOrderMark, 1:7 trailingComma", #"{"a":1}"#,
            "RFC 8259, 8.1: no editor counts the mark as a column"),
        BrokenText(#"\#u{FEFF}"#, "1:1 byteOrderMark, 1:1 empty", nil, "RFC 8259, 8.1"),
        BrokenText(
            #"module.exports = {"a": 1};"#, "1:1 unknownWord, 1:26 extraContent", #"{"a":1}"#, isComplete: false,
            "RFC 8259, 2: code around the value"),
        BrokenText(
            #"HTTP/1.1 200 OK\#nContent-Type: application/json\#n\#n{"a": [1]}"#, "1:1 unknownWord", #"{"a":[1]}"#,
            "RFC 8259, 2: saved with the head of the answer"),
        BrokenText(
            #"```json\#n{"a": 1}\#n```"#, "1:1 singleQuote, 3:1 extraContent", #"{"a":1}"#, isComplete: false,
            "RFC 8259, 2: saved with the fence of Markdown"),
        BrokenText(
            #"{} {} []"#, "1:4 extraContent", #"{}"#, isComplete: false, "RFC 8259, 2: extra content is one fault"),
    ]

    static let endings: [BrokenText] = [
        BrokenText(#"["#, "1:2 cutOff", #"[]"#, "RFC 8259, 5"),
        BrokenText(#"{"a": [1, 2"#, "1:12 cutOff", #"{"a":[1,2]}"#, "RFC 8259, 5"),
        BrokenText(#"{"a": ["b", "c"#, "1:15 cutOff", #"{"a":["b","c"]}"#, "RFC 8259, 7"),
        BrokenText(#"{"a": "b}"#, "1:10 cutOff", #"{"a":"b"}"#, "RFC 8259, 7: the bracket is not part of the string"),
        BrokenText(#"{"a": tru"#, "1:10 cutOff", #"{"a":true}"#, "RFC 8259, 3"),
        BrokenText(#"[1, -"#, "1:6 cutOff", #"[1]"#, "RFC 8259, 6"),
        BrokenText(#"[1."#, "1:4 cutOff", #"[1.]"#, "RFC 8259, 6"),
        BrokenText(#"{"a"#, "1:4 cutOff", #"{}"#, "RFC 8259, 7"),
        BrokenText(#"{"a":"#, "1:6 cutOff", #"{}"#, "RFC 8259, 4"),
        BrokenText(#"{"a”: 1}"#, "1:9 cutOff", #"{"a":1}"#, "RFC 8259, 7: the quote of the key is not closed"),
        BrokenText(
            #"{"a": [1,, {"b": ["c"\#n"#, "1:10 strayComma, 1:22 cutOff", #"{"a":[1,{"b":["c"]}]}"#,
            "RFC 8259, 5: two faults"),
    ]
}
