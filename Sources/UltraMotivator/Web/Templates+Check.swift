/// The templates of `/check`.
extension Templates {
    static let ofCheck = [
        "check": check, "check-field": checkField, "check-result": result, "check-verdict": verdict, "check-line": line,
        "check-match": match, "check-trial": trial, "check-issue": issue, "check-service": service, "codes": codes,
    ]

    private static let check = """
        {{<layout}}
        {{$title}}{{#hasError}}Error: {{/hasError}}Check an association – Ultra Motivator{{/title}}
        {{$main}}
        <h1>Check an association</h1>
        <p class="lead">Find out what a device would do with a file, an entry or a URL. Fill in any of the fields. With
        more fields, the result is more specific.</p>
        {{#alert}}
        <p class="alert" role="alert">{{.}}</p>
        {{/alert}}
        {{#result}}
        {{>check-result}}
        {{/result}}
        <form method="post" action="/check">
        <div class="field">
        <label for="file">Association file</label>
        <textarea id="file" name="file" rows="12" aria-describedby="file-hint" autocapitalize="none" autocorrect="off"\
         autocomplete="off" spellcheck="false">
        {{file}}</textarea>
        <p class="hint" id="file-hint">The JSON of apple-app-site-association or assetlinks.json, at most 131,072 bytes.</p>
        </div>
        {{#fields}}
        {{>check-field}}
        {{/fields}}
        <p class="actions"><button type="submit">Check</button></p>
        </form>
        <p class="hint">The server does not store or log the input. Each line break counts as one byte. See
        <a href="/check/codes">/check/codes</a> for all codes and their sources.</p>
        {{/main}}
        {{/layout}}
        """

    private static let checkField = """
        <div class="field">
        <label for="{{name}}">{{label}}</label>
        <input id="{{name}}" name="{{name}}" type="{{type}}" value="{{value}}" autocomplete="off"\
        {{#error}} aria-invalid="true"{{/error}} aria-describedby="{{descriptions}}"\
         autocapitalize="none" autocorrect="off" spellcheck="false">
        {{#error}}
        <p class="error" id="{{name}}-error">{{.}}</p>
        {{/error}}
        <p class="hint" id="{{name}}-hint">{{hint}}</p>
        </div>

        """

    private static let result = """
        <section aria-labelledby="result">
        <h2 id="result">Result for {{target}}</h2>
        {{#conclusion}}
        <p class="lead">{{.}}</p>
        {{/conclusion}}
        {{^empty(verdicts)}}
        <dl class="facts">
        {{#verdicts}}
        {{>check-verdict}}
        {{/verdicts}}
        </dl>
        {{/empty(verdicts)}}
        {{^empty(entryVerdicts)}}
        <h3>What a device does with the entry</h3>
        <dl class="facts">
        {{#entryVerdicts}}
        {{>check-verdict}}
        {{/entryVerdicts}}
        </dl>
        {{/empty(entryVerdicts)}}
        {{^empty(entry)}}
        <h3>What the entry means</h3>
        <dl class="facts">
        {{#entry}}
        {{>check-line}}
        {{/entry}}
        </dl>
        {{/empty(entry)}}
        {{^empty(app)}}
        <h3>The app</h3>
        <dl class="facts">
        {{#app}}
        {{>check-line}}
        {{/app}}
        </dl>
        <p>With this file, the app can share passwords:</p>
        <pre tabindex="0">{{appSnippet}}</pre>
        {{/empty(app)}}
        {{^empty(url)}}
        <h3>The URL</h3>
        <dl class="facts">
        {{#url}}
        {{>check-line}}
        {{/url}}
        </dl>
        {{/empty(url)}}
        {{#match}}
        {{>check-match}}
        {{/match}}
        {{#hints}}
        <p class="suggestion">{{.}}</p>
        {{/hints}}
        {{#summary}}
        <h3>Issues</h3>
        <p>{{.}}</p>
        {{/summary}}
        {{^empty(issues)}}
        <ul class="list issues">
        {{#issues}}
        {{>check-issue}}
        {{/issues}}
        </ul>
        {{/empty(issues)}}
        {{#moreIssues}}
        <p class="hint">{{.}}</p>
        {{/moreIssues}}
        {{^empty(services)}}
        <h3>Services in the file</h3>
        <dl class="facts">
        {{#services}}
        {{>check-service}}
        {{/services}}
        </dl>
        {{/empty(services)}}
        {{^empty(relations)}}
        <h3>Relations in the file</h3>
        <dl class="facts">
        {{#relations}}
        {{>check-service}}
        {{/relations}}
        </dl>
        {{/empty(relations)}}
        {{^empty(fetches)}}
        <h3>Requests</h3>
        <dl class="facts">
        {{#fetches}}
        {{>check-line}}
        {{/fetches}}
        </dl>
        {{/empty(fetches)}}
        </section>

        """

    private static let service = """
        <div><dt>{{name}} <small>{{meaning}}</small></dt>
        <dd>
        {{#apps}}
        <code>{{.}}</code><br>
        {{/apps}}
        {{^apps}}
        no apps
        {{/apps}}
        {{#moreApps}}
        {{.}}
        {{/moreApps}}
        </dd></div>

        """

    private static let verdict = """
        <div><dt>{{profile}} <small>{{meaning}}</small></dt><dd><strong class="{{kind}}">{{word}}</strong></dd></div>

        """

    private static let line = """
        <div><dt>{{name}}</dt><dd>{{text}}</dd></div>

        """

    private static let match = """
        <h3>Universal link: <span class="{{outcome}}">{{outcome}}</span></h3>
        <p>{{sentence}}</p>
        {{^empty(opening)}}
        <h4>Rules tried</h4>
        <ol class="list">
        {{#opening}}
        {{>check-trial}}
        {{/opening}}
        {{#between}}
        <li>{{.}}</li>
        {{/between}}
        {{#closing}}
        {{>check-trial}}
        {{/closing}}
        </ol>
        {{/empty(opening)}}

        """

    private static let trial = """
        <li><strong class="{{outcome}}">{{outcome}}</strong> <code>{{app}}</code>
        <span>{{place}}</span>
        {{sentence}}</li>

        """

    private static let issue = """
        <li>
        <p><strong class="rank-{{severity}}">{{rank}}</strong> <a href="/check/codes#{{code}}"><code>{{code}}</code></a></p>
        <p>{{message}}</p>
        {{#excerpt}}
        <pre tabindex="0">{{.}}</pre>
        {{/excerpt}}
        {{#fix}}
        <p>{{.}}</p>
        {{/fix}}
        <p class="hint">Found in {{place}}. Source: {{#link}}<a href="{{.}}">{{source}}</a>{{/link}}{{^link}}{{source}}{{/link}},
        {{date}}.</p>
        </li>

        """

    private static let codes = """
        {{<layout}}
        {{$title}}Issue codes – Ultra Motivator{{/title}}
        {{$main}}
        <h1>Issue codes</h1>
        <p class="lead"><a href="/check">/check</a> and <code>motivator association check</code> report these codes.
        Each rule has its reason, its effect in each profile, and its source.</p>
        <p>The profiles are device (devices since iOS 14), documented (Apple’s documentation), ios9 (iOS 9 to 13) and
        ios8 (iOS 8). For Android, only device and documented (Google’s documentation) apply. A denial prevents the association. A retry means that the device tries again later. With a
        warning, the association works, but not as intended.</p>
        <ul class="list">
        {{#groups}}
        <li><a href="#{{id}}">{{title}}</a></li>
        {{/groups}}
        </ul>
        {{#groups}}
        <h2 id="{{id}}">{{title}}</h2>
        {{#codes}}
        <section id="{{code}}" aria-labelledby="{{code}}-code">
        <h3 id="{{code}}-code"><code>{{code}}</code></h3>
        <p>{{rule}}</p>
        <p>{{reason}} Example: <code>{{example}}</code></p>
        <p class="hint">{{effects}}. Source: {{#link}}<a href="{{.}}">{{source}}</a>{{/link}}{{^link}}{{source}}{{/link}},
        {{date}}.</p>
        </section>
        {{/codes}}
        {{/groups}}
        {{/main}}
        {{/layout}}
        """
}
