import { codeSpan } from '../alerts/message.ts';
import { isPast } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import { endLaneCommand } from '../text/pool-command.ts';
import type { UnreadablePool } from '../timeline/unreadable-pool.ts';
import type { ClusterView, PoolView } from '../timeline/view.ts';
import { said } from './slack-answers.ts';

/** What a freeze from a message would cover, and until when. */
interface FreezeFromMessage {
  readonly cluster: string;
  /** `*`: each pool of the cluster that Poolkeeper may pause. */
  readonly pool: string;
  /** ISO instant. */
  readonly until: string;
}

/** Most pools of which the answer names the lane, or that they cannot be parsed. */
const mostNamed = 3;

/** Which pools would roll on all the same, because an open emergency lane passes freezes, or they cannot be parsed:
 *  sentences of Slack that follow others. Empty: of none is known that it would. */
export function poolsPastFreeze(
  { cluster, pool }: Pick<FreezeFromMessage, 'cluster' | 'pool'>,
  view: ClusterView | undefined,
  now: Date,
): string {
  const covered = view === undefined ? [] : coveredBy(pool, view);
  const unparsed = view === undefined ? [] : unparsedIn(pool, view);
  const open = covered.flatMap(({ name, emergency }) =>
    emergency === undefined || isPast(emergency.until, now) ? [] : [{ name, ...emergency }],
  );
  const named = open.slice(0, mostNamed).map(({ name, who, until }) => {
    return ` Until ${until} it does not pause pool ${name}: the emergency lane of ${said(who, 120)} passes freezes, ${codeSpan(endLaneCommand({ cluster, pool: name }))} closes it.`;
  });
  const more = open.length - named.length;
  return [...named, more === 0 ? '' : ` So it is with ${counted(more, 'more pool')}.`, unparsedWords(unparsed)].join(
    '',
  );
}

function unparsedWords(pools: readonly UnreadablePool[]): string {
  if (pools.length === 0) return '';
  const names = pools.map(({ name }) => codeSpan(name));
  return ` It does not pause what cannot be parsed, until it can: ${listed(names, mostNamed)}.`;
}

function coveredBy(pool: string, { pools }: ClusterView): ClusterView['pools'] {
  return pools.filter(({ name, managed }) => (pool === '*' ? managed : name === pool));
}

function unparsedIn(pool: string, { unreadablePools = [] }: ClusterView): readonly UnreadablePool[] {
  return unreadablePools.filter(({ name }) => pool === '*' || name === pool);
}

/** Why nothing would be frozen, or must not be, as the cluster was last read: a press is held to what a command is.
 *  Undefined: nothing is known against it. */
export function whyNotFrozen(
  { cluster, pool, until }: FreezeFromMessage,
  view: ClusterView | undefined,
): string | undefined {
  // Never read: the pass that carries it out sees the cluster first.
  if (view === undefined || view.readAt === '') return undefined;
  const covered = coveredBy(pool, view);
  const [unparsed] = unparsedIn(pool, view);
  // It sees what there was no room for, too: pools that it may pause.
  const isLeftOut = view.poolsLeftOut !== undefined && (pool === '*' || unparsed === undefined);
  if (covered.length === 0 && isLeftOut) return undefined;
  if (covered.length === 0 && unparsed !== undefined)
    return `pool ${unparsed.name} of ${cluster} cannot be parsed, so nothing is frozen`;
  if (covered.length === 0)
    return pool === '*'
      ? `Poolkeeper may pause no pool of ${cluster}, so nothing is frozen`
      : `${cluster} had no pool ${pool} when it was last read, so nothing is frozen`;
  const observed = covered.find(({ managed }) => !managed);
  if (observed !== undefined)
    return `Poolkeeper does not pause pool ${observed.name} of ${cluster}, so it is not frozen`;
  return beyondCertificates(covered, until);
}

/** While a pool is paused, new certificates do not reach its nodes. */
function beyondCertificates(pools: readonly PoolView[], until: string): string | undefined {
  const [first] = pools
    .flatMap(({ name, certificatesExpire: expiry }) => (expiry === undefined ? [] : [{ name, expiry }]))
    .filter(({ expiry }) => Date.parse(expiry) <= Date.parse(until))
    .toSorted((a, b) => Date.parse(a.expiry) - Date.parse(b.expiry));
  return first === undefined
    ? undefined
    : `the first certificate of pool ${first.name} expires ${first.expiry}, before the end of the freeze, so nothing is frozen`;
}
