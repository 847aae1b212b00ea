import { type Discovery, discoveryOf, resolveResource, type ServedResource } from '../../core/sequences/discovery.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { SequenceCluster } from './sequence-ports.ts';

/** What a name means to an API server. `unknown`: it serves no such kind, as of a minute ago at most. `failed`: nobody
 *  knows, as where the server of an aggregated API is away. */
export type Resolved =
  | { readonly kind: 'resource'; readonly resource: ServedResource }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

/** Seconds that the list of kinds counts: kinds hardly ever go. */
const keptSeconds = 600;
/** Seconds after which it is asked again for a kind that it does not have: operators bring theirs. */
const askedAgainSeconds = 50;

interface Known {
  readonly at: Date;
  readonly discovery: Discovery;
}

/** By the reader of each cluster, for the life of the process. */
const known = new WeakMap<ObjectReader, Known>();

/** The kind that a person means by `sc` or `storageclasses.storage.k8s.io` on this cluster. */
export async function resolveOn(
  { reader, origin = reader }: Pick<SequenceCluster, 'reader' | 'origin'>,
  written: string,
  now: Date,
): Promise<Resolved> {
  const before = known.get(origin);
  if (before !== undefined) {
    const found = resolved(written, before.discovery);
    const seconds = found.kind === 'resource' ? keptSeconds : askedAgainSeconds;
    if (!isPast(plusSeconds(before.at, seconds), now)) return found;
  }
  const read = await discover(reader);
  if (typeof read === 'string') return { kind: 'failed', why: read };
  known.set(origin, { at: now, discovery: read });
  return resolved(written, read);
}

function resolved(written: string, discovery: Discovery): Resolved {
  const found = resolveResource(written, discovery);
  if (found === undefined) return { kind: 'unknown', why: `${written} is not served` };
  if (!('staleIn' in found)) return { kind: 'resource', resource: found };
  const why = `whether ${written} is served is not known, because the server of ${found.staleIn} does not answer`;
  return { kind: 'failed', why: written.includes('.') ? why : `${why}: name the kind with its group` };
}

/** The core group first, as `oc` does; text: why it could not be read. */
async function discover(reader: ObjectReader): Promise<Discovery | string> {
  const answers = await Promise.all(
    ['/api', '/apis'].map((path) => reader.read({ path, query: {}, form: 'discovery' })),
  );
  const lists: Discovery[] = [];
  for (const answer of answers) {
    if (answer.kind !== 'found') return answer.kind === 'failed' ? answer.why : 'the API server has no discovery';
    const list = discoveryOf(answer.body);
    if (list === undefined) return 'the API server does not say in one answer what it serves (Kubernetes before 1.27)';
    lists.push(list);
  }
  return lists.flat();
}
