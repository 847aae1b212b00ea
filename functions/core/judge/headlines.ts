import { titleOf } from '../diagnose/cause-titles.ts';
import { errorText, readNodeReason } from '../diagnose/text.ts';
import { everyFinding, rootOf, rootsOf } from '../findings/chain.ts';
import { distinctRefs, type Finding, type ObjectRef, refText } from '../findings/trouble.ts';
import { clipped, listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';

/** Nodes of which a headline tells one cause. */
export interface Claim {
  readonly names: string;
  /** Of how many more the cause is not known, behind the cause; empty: of none. */
  readonly others: string;
}

interface ToldNode {
  readonly node: { readonly name: string };
  readonly findings: readonly Finding[];
}

/** Of those that nobody looked into, as of many only some are, a headline claims nothing.
 *  @param isKnown Whether the cause of one is known all the same */
export function claimOf<Told extends ToldNode>(
  all: readonly Told[],
  isKnown: (one: Told) => boolean = () => false,
): Claim {
  const told = all.filter((each) => each.findings.length > 0 || isKnown(each));
  const left = told.length === 0 ? 0 : all.length - told.length;
  const names = (left === 0 ? all : told).map(({ node }) => node.name);
  return { names: listed(names, 2), others: left === 0 ? '' : `; cause of ${left} more not known` };
}

/** What blocks a drain, in few words: the budgets if there are any, and whatever else was found. */
export function blockerText(findings: readonly Finding[]): string {
  const all = findings.flatMap(everyFinding);
  const budgets = distinctRefs(
    all.filter(({ subject }) => subject.kind === 'PodDisruptionBudget').map(({ subject }) => subject),
  );
  if (budgets.length > 0) return `blocked by PDB ${listed(budgets.map(nameOf), 2)}${besideText(findings, budgets)}`;
  const pods = distinctRefs(all.filter(({ subject }) => subject.kind === 'Pod').map(({ subject }) => subject));
  if (pods.length > 0) return `blocked by pod ${listed(pods.map(nameOf), 2)}${besideText(findings, pods)}`;
  const roots = findings.map(rootOf);
  if (roots.length > 0 && roots.every(({ code }) => code === 'S13')) return `does not finish: ${causeText(roots)}`;
  const others = distinctRefs(roots.map(({ subject }) => subject)).filter(({ kind }) => kind !== 'Node');
  if (others.length > 0) return `blocked by ${others.map(refText).join(', ')}`;
  const isOver = findings.length > 0 && findings.every((found) => found.class === 'self-healing');
  return isOver ? 'took long' : 'does not finish';
}

/** What is not behind these. What heals by itself holds up every drain for a moment. */
function besideText(findings: readonly Finding[], named: readonly ObjectRef[]): string {
  const known = new Set(named.map(refText));
  const branches = findings.flatMap((found) => (found.because.length === 0 ? [found] : found.because));
  const others = branches.filter((branch) => !everyFinding(branch).some(({ subject }) => known.has(refText(subject))));
  const roots = others.flatMap(rootsOf).filter((root) => root.class !== 'self-healing' && root.subject.kind !== 'Node');
  const words = distinctRefs(roots.map(({ subject }) => subject)).map((ref) =>
    ref.kind === 'Pod' ? `pod ${nameOf(ref)}` : refText(ref),
  );
  return words.length === 0 ? '' : `, and by ${listed(words, 2)}`;
}

/** The cause in a few words, so that a subject line tells what it is about. */
export function causeText(findings: readonly Finding[]): string {
  const words = unique(findings.map(({ code }) => titleOf(code) ?? 'cause unknown'));
  return words.length === 0 ? 'cause unknown' : words.join(', ');
}

/** Characters of an error in a headline: a subject line has room for node, cause and this. */
const longestError = 110;

/** The innermost error of nodes that say the same, literally: what people search for. Empty where they differ, where
 *  the text hides its cause, or where another finding than the daemon's own words explains it. */
export function errorWords(reasons: readonly string[], findings: readonly Finding[]): string {
  if (!findings.every(({ code }) => /^N(?!17)\d/.test(code))) return '';
  const read = reasons.filter((each) => each !== '').map(readNodeReason);
  const errors = new Set(read.map(errorText));
  const [only] = errors;
  if (only === undefined || only === '' || errors.size > 1 || read.some(({ isHidden }) => isHidden)) return '';
  return `: ${clipped(only, longestError)}`;
}

export function lostText(findings: readonly Finding[]): string {
  const names = listed(
    findings.map(({ subject }) => subject.name),
    2,
  );
  const codes = new Set(findings.map(({ code }) => code));
  if (codes.size > 1 || findings.length === 0) return `${names} not ready`;
  if (codes.has('S3')) return `${names} did not come back from reboot`;
  return codes.has('S11') ? `${names} with disk or network problems` : `${names} not ready or unreachable`;
}

function nameOf({ namespace, name }: ObjectRef): string {
  return `${namespace}/${name}`;
}
