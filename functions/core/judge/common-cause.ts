import { causeKey, commonWords } from '../findings/cause-key.ts';
import { rootOf, rootsOf } from '../findings/chain.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';

/** From this many nodes on, the same words have a common cause even if each node is its own subject (a registry, a
 *  network, a change). Two findings that name the same object have one too. */
const nodesOfOneCode = 3;
/** Evidence adopted from the findings that are merged into the first. */
const evidenceTaken = 3;
/** A message shows at most six facts; the new one replaces the last if needed. */
const factsBeside = 5;

/** Reports a common cause once: in a pool where it is first found, with the names of the other nodes, across pools as a
 *  fact on each. */
export function sayingWhatIsCommon(troubles: readonly Trouble[]): readonly Trouble[] {
  const causeOf = causesAmong(troubles);
  return troubles.map((trouble) => {
    const pools = troubles
      .filter((other) => other.key.pool !== trouble.key.pool && sharesCause(trouble, other, causeOf))
      .map(({ key }) => key.pool);
    const told = { ...trouble, findings: inOne(trouble.findings, havingCauses(trouble.findings, causeOf)) };
    if (pools.length === 0) return told;
    const value = `also affects ${pools.length === 1 ? 'pool' : 'pools'} ${listed(unique(pools).toSorted())}`;
    return { ...told, facts: [...told.facts.slice(0, factsBeside), { label: 'Common cause', value }] };
  });
}

/** What tells the cause at the end of a chain from others. */
type CauseOf = (root: Finding) => string;

/** What lies in a node or a pool is told apart by its words: three files that differ on three nodes are three. */
function causesAmong(troubles: readonly Trouble[]): CauseOf {
  const isByWords = (root: Finding) => causeKey(root) === root.code;
  const roots = troubles.flatMap(({ findings }) => findings).flatMap(rootsOf);
  const names = new Set(roots.filter(isByWords).map(({ subject }) => subject.name));
  return (root) =>
    isByWords(root) ? `${root.code} ${commonWords(root.sentence, (word) => names.has(word))}` : causeKey(root);
}

/** Place and time need no comparison: one pass sees one moment. */
function sharesCause(a: Trouble, b: Trouble, causeOf: CauseOf): boolean {
  if (a.key.kind !== b.key.kind) return false;
  const causes = new Set(a.findings.flatMap(rootsOf).map(causeOf));
  return b.findings.flatMap(rootsOf).some((root) => causes.has(causeOf(root)));
}

/** The findings that share a cause, in their order; none where too few do. */
type Having = (root: Finding) => readonly Finding[];

function havingCauses(findings: readonly Finding[], causeOf: CauseOf): Having {
  const all = findings.flatMap((found) => unique(rootsOf(found).map(causeOf)).map((cause) => ({ cause, found })));
  const byCause = new Map(
    [...Map.groupBy(all, ({ cause }) => cause)].map(([cause, each]) => [cause, each.map(({ found }) => found)]),
  );
  return (root) => {
    const sharing = byCause.get(causeOf(root)) ?? [];
    return sharing.length < (root.subject.kind === 'Node' ? nodesOfOneCode : 2) ? [] : sharing;
  };
}

/** A finding all of whose causes are told with others is one with them; one that has a cause of its own as well stays,
 *  and that is read first. */
function inOne(findings: readonly Finding[], having: Having): readonly Finding[] {
  const merged = findings.filter((found) => isTold(found, found, having));
  return findings
    .filter((found) => !merged.includes(found))
    .map((found) => {
      const others = merged.filter((other) => having(rootOf(other))[0] === found);
      const evidence = others.flatMap((each) => each.evidence.slice(0, 1)).slice(0, evidenceTaken);
      const because = found.because.toSorted(
        (a, b) => Number(isTold(a, found, having)) - Number(isTold(b, found, having)),
      );
      const told = { ...found, because, evidence: [...found.evidence, ...evidence] };
      return atRoots(told, (root) => othersText(root, found, having));
    });
}

/** With a finding before this one. */
function isTold(branch: Finding, found: Finding, having: Having): boolean {
  return rootsOf(branch).every((root) => {
    const [first = found] = having(root);
    return first !== found;
  });
}

function othersText(root: Finding, found: Finding, having: Having): string {
  const [first, ...others] = having(root);
  const names = unique(others.map(({ subject }) => subject.name)).filter((name) => name !== found.subject.name);
  // A sentence that names no node already applies to all of them.
  const isOfAll = root.subject.kind === 'Node' && !root.sentence.includes(root.subject.name);
  return first !== found || names.length === 0 || isOfAll ? '' : ` The same cause affects ${listed(names)}.`;
}

/** The root causes are read first. */
function atRoots(found: Finding, wordsOf: (root: Finding) => string): Finding {
  return found.because.length === 0
    ? { ...found, sentence: `${found.sentence}${wordsOf(found)}` }
    : { ...found, because: found.because.map((each) => atRoots(each, wordsOf)) };
}
