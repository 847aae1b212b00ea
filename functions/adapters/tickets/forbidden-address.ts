import { BlockList, isIP, isIPv6 } from 'node:net';
import { forbiddenHost } from '../../core/configuration/outgoing-host.ts';

/** Networks that nobody outside can reach, or that lead to another address. Source: RFC 6890, special-purpose
 *  addresses; RFC 6052 and 3056 for IPv4 inside IPv6. */
const internal = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
]);

/** Why this address of a host is not called; undefined: it may be. Completes "its address ...". Those that nothing may
 *  lead to are refused even if the configuration lists them.
 *  @param address as a resolver gives it, IPv6 without brackets */
export function forbiddenAddress(address: string, allowedNetworks: readonly string[]): string | undefined {
  if (isIP(address) === 0) return 'cannot be understood';
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const host = family === 'ipv6' ? URL.parse(`http://[${address.split('%')[0]}]`)?.hostname : address;
  if (host === undefined) return 'cannot be understood';
  const why = forbiddenHost(host);
  if (why !== undefined) return why;
  if (!internal.check(address, family) || blockList(allowedNetworks).check(address, family)) return undefined;
  return 'is internal, and no network in internalNetworks';
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}
