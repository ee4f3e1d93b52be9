// Runs a real OpenID Connect issuer as a separate process, which grants every request. It prints its address, and ends with its
// input.
import { OAuth2Server } from 'oauth2-mock-server'

const server = new OAuth2Server()
await server.issuer.keys.generate('RS256')
await server.start(0, '127.0.0.1')
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write(`${server.issuer.url}\n`)
