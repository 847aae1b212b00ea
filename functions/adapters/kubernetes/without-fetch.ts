/** Stands for `undici` in bundles: client-node's request classes import its `fetch` for a transport that ours replaces,
 *  and it would be a third of a bundle. */
export function fetch(): never {
  throw new Error('requests go over functions/adapters/kubernetes/transport.ts');
}
