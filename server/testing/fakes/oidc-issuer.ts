// Runs a real OpenID Connect issuer in a separate process. It grants every request. Prints its URL, and exits when its
// input closes.
import { OAuth2Server } from 'oauth2-mock-server'

const server = new OAuth2Server()
await server.issuer.keys.generate('RS256')
await server.start(0, '127.0.0.1')
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write(`${server.issuer.url}\n`)
