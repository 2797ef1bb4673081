/// Texts with invalid punctuation.
extension BrokenText {
    static let brackets: [BrokenText] = [
        BrokenText(#"{"a":[1}"#, "1:8 mismatchedBracket", #"{"a":[1]}"#, "RFC 8259, 5: the array lacks its end"),
        BrokenText(
            #"{"a":[1}, "b":2}"#, "1:8 mismatchedBracket", #"{"a":[1],"b":2}"#,
            "RFC 8259, 5: the wrong bracket ends the array"),
        BrokenText(
            #"{"details":[{"paths":["*"}]}"#, "1:26 mismatchedBracket", #"{"details":[{"paths":["*"]}]}"#,
            "RFC 8259, 5: the array inside lacks its end"),
        BrokenText(
            #"{"x":[{"p":["*"},{"q":1}]}"#, "1:16 mismatchedBracket", #"{"x":[{"p":["*"]},{"q":1}]}"#,
            "RFC 8259, 5: the array inside lacks its end"),
        BrokenText(
            #"{"x":[{"/":"/a"},{"/":"/b" ],"w":1}"#, "1:28 mismatchedBracket", #"{"x":[{"/":"/a"},{"/":"/b"}],"w":1}"#,
            "RFC 8259, 4: the object inside lacks its end"),
        BrokenText(#"[1}]"#, "1:3 mismatchedBracket", #"[1]"#, "RFC 8259, 5: a bracket too many"),
        BrokenText(
            #"{"a":[1]],"b":2}"#, "1:9 mismatchedBracket", #"{"a":[1],"b":2}"#, "RFC 8259, 5: a bracket too many"),
        BrokenText(#"[{"a":[1]]},2]"#, "1:10 mismatchedBracket", #"[{"a":[1]},2]"#, "RFC 8259, 5: a bracket too many"),
        BrokenText(
            #"{"w": {"apps": "C.d"] }\#n}"#, "1:21 mismatchedBracket", #"{"w":{"apps":"C.d"}}"#,
            "RFC 8259, 5: the array lacks its beginning"),
        BrokenText(
            #"{"w": "apps": ["C.d"] }\#n}"#, "1:13 unexpected, 2:1 extraContent", #"{}"#, isComplete: false,
            "RFC 8259, 4: the object lacks its beginning"),
        BrokenText(
            #""w": { "apps": ["C.d"] }\#n}"#, "1:4 extraContent", nil, isComplete: false,
            "RFC 8259, 4: the outer object lacks its beginning"),
        BrokenText(
            #""a": 1, "b": 2"#, "1:4 extraContent", nil, isComplete: false,
            "RFC 8259, 4: the outer object lacks both brackets"),
        BrokenText(
            #"{"p": ["*", "x", "q": ["z"]}"#, "1:21 unexpected, 1:28 mismatchedBracket", #"{"p":["*","x","q",["z"]]}"#,
            "RFC 8259, 5: the array lacks its end before the next key"),
        BrokenText(
            #"{"a": [ {"b": 1}, "d": 3}"#, "1:22 unexpected, 1:25 mismatchedBracket", #"{"a":[{"b":1},"d",3]}"#,
            "RFC 8259, 5: the array lacks its end before the next key"),
        BrokenText(
            #"["a": 1, "b": 2]"#, "1:5 unexpected, 1:13 unexpected", #"["a",1,"b",2]"#,
            "RFC 8259, 4: an object in the brackets of an array"),
        BrokenText(
            #"{"a", "b"}"#, "1:5 missingColon, 1:10 missingColon", #"{}"#,
            "RFC 8259, 5: an array in the brackets of an object"),
        BrokenText(
            #"{"a": ("/a/*", "/b/*"), "b": 1}"#, "1:7 unexpected, 1:22 missingColon", #"{"a":"/a/*","b":1}"#,
            "RFC 8259, 5: the brackets of another format"),
        BrokenText(#"{{"a":1}}"#, "1:2 unexpected", #"{}"#, "RFC 8259, 4: doubled brackets"),
        BrokenText(
            #"[1 2 3 4}"#, "1:3 missingComma, 1:5 missingComma, 1:7 missingComma, 1:9 mismatchedBracket", #"[1,2,3,4]"#,
            "RFC 8259, 5: three commas and a bracket"),
        BrokenText(
            #"{"a": 1}}"#, "1:9 extraContent", #"{"a":1}"#, isComplete: false,
            "RFC 8259, 2: one bracket too many at the end"),
        BrokenText(
            #"{"a": 1} ,\#n {"b": 2}"#, "2:2 extraContent", #"{"a":1}"#, isComplete: false,
            "RFC 8259, 2: two documents, with a comma"),
        BrokenText(#"}"#, "1:1 unexpected", nil, "RFC 8259, 2"),
        BrokenText(#"{[]: 1, "b": 2}"#, "1:2 unexpected", #"{"b":2}"#, "RFC 8259, 4: a key is a string"),
    ]

    static let commas: [BrokenText] = [
        BrokenText(#"{"a": {"b": 1}, }"#, "1:15 trailingComma", #"{"a":{"b":1}}"#, "RFC 8259, 4"),
        BrokenText(#"[1,\#n 2,\#n]"#, "2:3 trailingComma", #"[1,2]"#, "RFC 8259, 5"),
        BrokenText(#"{"a": {}\#n"b": {}}"#, "1:9 missingComma", #"{"a":{},"b":{}}"#, "RFC 8259, 4"),
        BrokenText(#"["a" "b"\#n"c"]"#, "1:5 missingComma, 1:9 missingComma", #"["a","b","c"]"#, "RFC 8259, 5"),
        BrokenText(#"["a""b"]"#, "1:5 missingComma", #"["a","b"]"#, "RFC 8259, 5: the quotes touch"),
        BrokenText(#"[1 [2] {"a": 3}]"#, "1:3 missingComma, 1:7 missingComma", #"[1,[2],{"a":3}]"#, "RFC 8259, 5"),
        BrokenText(
            #"{"a": 1 2, "b" : 3}"#, "1:8 missingComma", #"{"a":1,"b":3}"#, "RFC 8259, 4: what has no key is left out"),
        BrokenText(#"{"a":1,"a":2 "a":3}"#, "1:13 missingComma", #"{"a":1,"a":2,"a":3}"#, "RFC 8259, 4"),
        BrokenText(
            #"[1,,2,,,]"#, "1:4 strayComma, 1:7 strayComma", #"[1,2]"#, "RFC 8259, 5: commas in a row are one slip"),
        BrokenText(
            #"{,"a":1,,"b":2,}"#, "1:2 strayComma, 1:9 strayComma, 1:15 trailingComma", #"{"a":1,"b":2}"#, "RFC 8259, 4"
        ),
        BrokenText(#"{"a": 1; "b": 2}"#, "1:8 unexpected", #"{"a":1,"b":2}"#, "RFC 8259, 4"),
        BrokenText(#"["/a/*". "/b/*"]"#, "1:8 unexpected", #"["/a/*","/b/*"]"#, "RFC 8259, 5"),
        BrokenText(#"[1:2]"#, "1:3 unexpected", #"[1,2]"#, "RFC 8259, 5"),
        BrokenText(#"{"a": 1:2}"#, "1:8 unexpected", #"{"a":1}"#, "RFC 8259, 4"),
        BrokenText(#"{"a": "x" + "y", "b": 1}"#, "1:11 unexpected", #"{"a":"x","b":1}"#, "RFC 8259, 4: an expression"),
        BrokenText(#"{"a": "b"},"#, "1:11 extraContent", #"{"a":"b"}"#, isComplete: false, "RFC 8259, 2"),
    ]

    static let colons: [BrokenText] = [
        BrokenText(#"{"a" {"b": 1}}"#, "1:5 missingColon", #"{"a":{"b":1}}"#, "RFC 8259, 4"),
        BrokenText(#"{"a" = 1, "b" => 2}"#, "1:5 missingColon, 1:14 missingColon", #"{"a":1,"b":2}"#, "RFC 8259, 4"),
        BrokenText(#"{"a"; "x", "b": 1}"#, "1:5 missingColon", #"{"a":"x","b":1}"#, "RFC 8259, 4"),
        BrokenText(
            #"{"a", "x", "b": 1}"#, "1:5 missingColon, 1:10 missingColon", #"{"b":1}"#,
            "RFC 8259, 4: a comma in the place of the colon"),
        BrokenText(#"{"a" "b": 1}"#, "1:5 missingColon", #"{"b":1}"#, "RFC 8259, 4: a key without a value is left out"),
        BrokenText(#"{"a": "b": 1}"#, "1:10 unexpected", #"{}"#, "RFC 8259, 4: a key without a value is left out"),
        BrokenText(
            #"{"a":, "b": , "c": }"#, "1:6 missingValue, 1:12 missingValue, 1:19 missingValue", #"{}"#, "RFC 8259, 4"),
        BrokenText(#"{"a": 1,\#n "b"\#n}"#, "2:5 missingColon", #"{"a":1}"#, "RFC 8259, 4"),
        BrokenText(#"{: 1, "b": 2}"#, "1:2 unexpected", #"{"b":2}"#, "RFC 8259, 4: no key is made up"),
        BrokenText(#"{...}"#, "1:2 unexpected", #"{}"#, "RFC 8259, 4"),
    ]

    static let space: [BrokenText] = [
        BrokenText(
            #"[1, // one\#n 2, /* two\#n */ 3 # three\#n // four\#n , 4]"#, "1:5 comment, 2:5 comment, 3:7 comment",
            #"[1,2,3,4]"#, "RFC 8259, 2: comments in a row are one slip"),
        BrokenText(
            #"[1, /*/ 2, */ 3]"#, "1:5 comment", "[1,3]", "RFC 8259, 2: a star does not both begin and end a comment"),
        BrokenText(#"{ "a": "b" } // end"#, "1:14 comment", #"{"a":"b"}"#, "RFC 8259, 2"),
        BrokenText(
            #"{"a": 1 /* b"#, "1:9 comment, 1:8 cutOff", #"{"a":1}"#,
            "RFC 8259, 2: a comment without an end ends with its line"),
        BrokenText(#"// only"#, "1:1 comment, 1:1 empty", nil, "RFC 8259, 2"),
        BrokenText(
            #"{\#u{A0}\#u{A0}"a":\#u{200B}1,\#u{A0}"b": 2}"#,
            "1:2 invisibleCharacter, 1:8 invisibleCharacter, 1:11 invisibleCharacter", #"{"a":1,"b":2}"#,
            "RFC 8259, 2: spaces in a row are one slip"),
        BrokenText(#"[1\#u{2028}]"#, "1:3 invisibleCharacter", #"[1]"#, "RFC 8259, 2"),
    ]
}
