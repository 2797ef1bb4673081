// Serves the same content with Node's HTTP server, with one process per core. servers.py starts this program.
const cluster = require("node:cluster")
const fs = require("node:fs")
const http = require("node:http")
const https = require("node:https")
const os = require("node:os")

const [host, port, plainPort, certificate, key, association, page] = process.argv.slice(2)

if (cluster.isPrimary) {
    for (let i = 0; i < os.availableParallelism(); i++) cluster.fork()
    process.on("SIGTERM", () => process.exit())
} else {
    const contents = {
        "/.well-known/apple-app-site-association": [fs.readFileSync(association), "application/json"],
        "/": [fs.readFileSync(page), "text/html; charset=utf-8"],
    }
    const answer = (request, response) => {
        const [content, type] = contents[request.url]
        response.writeHead(200, { "Content-Type": type, "Content-Length": content.length }).end(content)
    }
    http.createServer(answer).listen(plainPort, host)
    const secrets = { cert: fs.readFileSync(certificate), key: fs.readFileSync(key) }
    https.createServer(secrets, answer).listen(port, host)
}
