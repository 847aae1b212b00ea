import { causeKey } from '../findings/cause-key.ts';
import { rootOf } from '../findings/chain.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';

/** From this many nodes on, the same code has a common cause even if each node is its own subject (a registry, a
 *  network, a change). Two findings that name the same object have one too. */
const nodesOfOneCode = 3;
/** Evidence adopted from the findings that are merged into the first. */
const evidenceTaken = 3;
/** A message shows at most six facts; the new one replaces the last if needed. */
const factsBeside = 5;

/** Reports a common cause once: in a pool as one finding that names the other nodes, across pools as a fact on each. */
export function sayingWhatIsCommon(troubles: readonly Trouble[]): readonly Trouble[] {
  return troubles.map((trouble) => {
    const pools = troubles
      .filter((other) => other.key.pool !== trouble.key.pool && sharesCause(trouble, other))
      .map(({ key }) => key.pool);
    const told = { ...trouble, findings: inOne(trouble.findings) };
    if (pools.length === 0) return told;
    const value = `also affects ${pools.length === 1 ? 'pool' : 'pools'} ${listed(unique(pools).toSorted())}`;
    return { ...told, facts: [...told.facts.slice(0, factsBeside), { label: 'Common cause', value }] };
  });
}

/** Place and time need no comparison: one pass sees one moment. */
function sharesCause(a: Trouble, b: Trouble): boolean {
  if (a.key.kind !== b.key.kind) return false;
  const causes = new Set(a.findings.map(rootOf).map(causeKey));
  return b.findings.some((found) => causes.has(causeKey(rootOf(found))));
}

function inOne(findings: readonly Finding[]): readonly Finding[] {
  const groups = [...Map.groupBy(findings, (found) => causeKey(rootOf(found))).values()];
  return groups.flatMap((group) => {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0) return group;
    const ofNodes = rootOf(first).subject.kind === 'Node';
    return ofNodes && group.length < nodesOfOneCode ? group : [withOthers(first, others)];
  });
}

function withOthers(first: Finding, others: readonly Finding[]): Finding {
  const names = unique(others.map(({ subject }) => subject.name)).filter((name) => name !== first.subject.name);
  const evidence = others.flatMap((each) => each.evidence.slice(0, 1)).slice(0, evidenceTaken);
  // A sentence that names no node already applies to all of them.
  const root = rootOf(first);
  const isOfAll = root.subject.kind === 'Node' && !root.sentence.includes(root.subject.name);
  const sentence = names.length === 0 || isOfAll ? '' : ` The same cause affects ${listed(names)}.`;
  return { ...atRoot(first, sentence), evidence: [...first.evidence, ...evidence] };
}

/** The root cause is read first. */
function atRoot(found: Finding, words: string): Finding {
  const root = rootOf(found);
  if (root === found) return { ...found, sentence: `${found.sentence}${words}` };
  return {
    ...found,
    because: found.because.map((each) => (rootOf(each) === root ? atRoot(each, words) : each)),
  };
}
