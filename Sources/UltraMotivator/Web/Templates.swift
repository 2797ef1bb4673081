/// The templates of the pages (Mustache; what is put in is escaped).
enum Templates {
    static let all = [
        "layout": layout, "welcome": welcome, "home": home, "form": form, "field": field,
        "documentation": documentation,
    ].merging(ofCheck) { first, _ in first }

    private static let layout = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{$title}}Ultra Motivator{{/title}}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/style.css">
        </head>
        <body>
        <a class="skip" href="#main">To the content</a>
        <header>
        <a class="brand" href="/">Ultra Motivator</a>
        <nav aria-label="Site">
        {{#isSignedIn}}
        <a href="/update">Password</a>
        {{/isSignedIn}}
        {{^isSignedIn}}
        <a href="/signin">Sign in</a>
        <a href="/signup">Sign up</a>
        {{/isSignedIn}}
        </nav>
        </header>
        <main id="main">
        {{$main}}{{/main}}
        </main>
        <footer>
        <a href="/docs">API</a>
        <a href="/check">Check</a>
        <a href="/.well-known/apple-app-site-association">Association file</a>
        </footer>
        </body>
        </html>

        """

    private static let welcome = """
        {{<layout}}
        {{$main}}
        <h1>A word to go on</h1>
        <p class="lead">Sign in, and there is a new one on each visit: here, and in the apps that share this
        site’s passwords.</p>
        <p class="actions"><a class="button" href="/signup">Sign up</a>
        <a class="button quiet" href="/signin">Sign in</a></p>
        <h2>For developers</h2>
        <p>This host vouches for its apps, and an app that names this host in its entitlement may share passwords
        with it. The proof is a file:</p>
        <ul class="list">
        <li><a href="/.well-known/apple-app-site-association">/.well-known/apple-app-site-association</a>
        <span>where devices look first</span></li>
        <li><a href="/apple-app-site-association">/apple-app-site-association</a>
        <span>where they looked before iOS 9.3</span></li>
        <li><a href="/docs">/docs</a>
        <span>the JSON API that apps use</span></li>
        <li><a href="/check">/check</a>
        <span>what a device would do with a file, an entry or a URL</span></li>
        </ul>
        {{/main}}
        {{/layout}}
        """

    private static let home = """
        {{<layout}}
        {{$title}}{{name}} – Ultra Motivator{{/title}}
        {{$main}}
        <h1>Hello, {{name}}</h1>
        <figure>
        <blockquote><p>{{quote.text}}</p></blockquote>
        <figcaption>{{quote.author}}, <cite>{{quote.source}}</cite></figcaption>
        </figure>
        <form id="signout" method="post" action="/signout">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <p class="actions"><a class="button" href="/">Another one</a>
        <button class="quiet" type="submit">Sign out</button></p>
        </form>
        <ul class="list">
        <li><a href="/update">Change password</a></li>
        <li><a href="/account/delete">Delete account</a></li>
        </ul>
        {{/main}}
        {{/layout}}
        """

    private static let form = """
        {{<layout}}
        {{$title}}{{#hasError}}Not done: {{/hasError}}{{title}} – Ultra Motivator{{/title}}
        {{$main}}
        <h1>{{title}}</h1>
        <p class="lead">{{lead}}</p>
        {{#alert}}
        <p class="alert" role="alert">{{.}}</p>
        {{/alert}}
        {{#suggestion}}
        <p class="suggestion">Suggested, and filled in below: <output id="suggestion">{{.}}</output></p>
        {{/suggestion}}
        <form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#fields}}
        {{>field}}
        {{/fields}}
        <p class="actions"><button type="submit">{{submit}}</button>
        {{#suggests}}
        <button class="quiet" type="submit" name="suggest" value="1" formnovalidate>Suggest a password</button>
        {{/suggests}}
        </p>
        </form>
        <p class="links">
        {{#links}}
        <a href="{{path}}">{{text}}</a>
        {{/links}}
        </p>
        {{/main}}
        {{/layout}}
        """

    private static let field = """
        <div class="field">
        <label for="{{name}}">{{label}}</label>
        <input id="{{name}}" name="{{name}}" type="{{type}}" value="{{value}}" autocomplete="{{autocomplete}}" required\
        {{#minimum}} minlength="{{.}}"{{/minimum}}{{#rules}} passwordrules="{{.}}"{{/rules}}\
        {{#isReadOnly}} readonly{{/isReadOnly}}{{#hasFocus}} autofocus{{/hasFocus}}\
        {{#error}} aria-invalid="true"{{/error}}{{#descriptions}} aria-describedby="{{.}}"{{/descriptions}}\
         autocapitalize="none" autocorrect="off" spellcheck="false">
        {{#error}}
        <p class="error" id="{{name}}-error">{{.}}</p>
        {{/error}}
        {{#hint}}
        <p class="hint" id="{{name}}-hint">{{.}}</p>
        {{/hint}}
        </div>

        """

    private static let documentation = """
        {{<layout}}
        {{$title}}API – Ultra Motivator{{/title}}
        {{$main}}
        <h1>The API</h1>
        <p class="lead">JSON objects of strings over HTTPS, described for programs in
        <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
        <p>Requests with content say <code>Content-Type: application/json</code>. Signing in gives a token, to be sent as
        <code>Authorization: Bearer …</code>; it ends after 30 minutes without use and after 12 hours. A failure is
        <code>{"error": "a sentence", "code": "a word that stays"}</code>; 429 and 503 tell in
        <code>Retry-After</code> how many seconds to wait. The calls below <code>/ultra_motivator/</code> are for the app
        of the tutorial, unmodified: they alone repeat the password, and their failures are
        <code>{"error": "a sentence"}</code>.</p>
        <ul class="list">
        {{#calls}}
        <li><a href="#{{id}}"><code>{{method}} {{path}}</code></a> <span>{{summary}}</span></li>
        {{/calls}}
        </ul>
        {{#calls}}
        <section id="{{id}}">
        <h2><code>{{method}} {{path}}</code></h2>
        <p>{{description}}{{#needsToken}} Needs a token.{{/needsToken}}</p>
        {{#request}}
        <h3>Request</h3>
        <pre tabindex="0"><code>{{.}}</code></pre>
        {{/request}}
        <h3>Answer {{status}}</h3>
        <pre tabindex="0"><code>{{answer}}</code></pre>
        <h3>Failures</h3>
        <table>
        <thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead>
        <tbody>
        {{#failures}}
        <tr><td>{{status}}</td><td>{{meaning}}</td></tr>
        {{/failures}}
        </tbody>
        </table>
        </section>
        {{/calls}}
        {{/main}}
        {{/layout}}
        """
}
