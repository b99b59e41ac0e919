/**
 * An address as clients on this machine can dial it: one that means "all interfaces" becomes loopback, in a multiaddr
 * (`/ip4/0.0.0.0/…`) as in a URL (`http://0.0.0.0:8080`).
 */
export function dialable(address: string): string {
  return address
    .replace(/^\/ip4\/0\.0\.0\.0(?=\/|$)/, '/ip4/127.0.0.1')
    .replace(/^\/ip6\/::(?=\/|$)/, '/ip6/::1')
    .replace(/^(https?:\/\/)0\.0\.0\.0(?=[:/]|$)/, '$1127.0.0.1')
    .replace(/^(https?:\/\/)\[::\](?=[:/]|$)/, '$1[::1]')
}
