// A real OpenID Connect issuer in a process of its own, that agrees to everything. It says where it is, and ends with its input.
import { OAuth2Server } from 'oauth2-mock-server'

const server = new OAuth2Server()
await server.issuer.keys.generate('RS256')
await server.start(0, '127.0.0.1')
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write(`${server.issuer.url}\n`)
