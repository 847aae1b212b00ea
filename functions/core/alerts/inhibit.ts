import { type Finding, keyText, type Trouble, type TroubleKey, type TroubleKind } from '../findings/trouble.ts';
import { severityRank } from '../findings/trouble-words.ts';
import { unique } from '../text/unique.ts';

/** About Poolkeeper itself, or machines outside: not about the cluster. */
const ofNoCluster: readonly TroubleKind[] = ['watcher-blind', 'notify-failing', 'lock-overdue'];

/** Why no alert is needed now; undefined: it is. An inhibited incident keeps its state; if the condition outlasts the
 *  inhibitor, an alert is sent with the original opening time. `now`: troubles of the cluster that are true now: a pass
 *  knows by itself whether it could read the cluster, and an outage that is over explains nothing that was read since,
 *  although its incident stays for some minutes, or for an hour while it flaps. A failed render explains no node: what
 *  is on its way goes on without it. */
export function inhibitorOf(key: TroubleKey, now: readonly TroubleKey[]): string | undefined {
  if (ofNoCluster.includes(key.kind)) return undefined;
  const isBlind = now.some((each) => each.cluster === key.cluster && each.kind === 'watcher-blind');
  return isBlind ? 'the cluster cannot be read' : undefined;
}

export interface Merged {
  readonly troubles: readonly Trouble[];
  /** Troubles that became part of another one. */
  readonly absorbed: readonly { readonly key: TroubleKey; readonly into: TroubleKey }[];
}

/** Catalogue code of a node that the MCO marked Degraded because its drain timed out. */
const drainTimeout = 'N14';

/** The MCO marks a node Degraded when its drain has failed for an hour, which is the same trouble twice. Such nodes
 *  join the blocked drain of their pool; a node degraded for another reason stays a trouble of its own. */
export function mergeChildren(troubles: readonly Trouble[]): Merged {
  return troubles
    .filter(({ key }) => key.kind === 'node-degraded')
    .reduce<Merged>((merged, child) => mergeOne(merged, child), { troubles, absorbed: [] });
}

function mergeOne(merged: Merged, child: Trouble): Merged {
  const parent = merged.troubles.find((each) => isDrainOf(each, child));
  if (parent === undefined) return merged;
  const nodes = new Set(parent.findings.flatMap(nodesOf));
  const joins = (finding: Finding) => isDrainTimeout(finding) && (nodes.size === 0 || sharesNode(finding, nodes));
  const joining = child.findings.filter(joins);
  if (joining.length === 0) return merged;
  const staying = child.findings.filter((finding) => !joins(finding));
  const others = merged.troubles.filter((each) => each !== parent && each !== child);
  const together = [joined(parent, child, joining), ...others];
  if (staying.length > 0) return { ...merged, troubles: [...together, { ...child, findings: staying }] };
  return { troubles: together, absorbed: [...merged.absorbed, { key: child.key, into: parent.key }] };
}

function isDrainOf(trouble: Trouble, child: Trouble): boolean {
  const { cluster, pool, kind } = trouble.key;
  return kind === 'drain-blocked' && cluster === child.key.cluster && pool === child.key.pool;
}

/** The parent's headline stands; the child's findings follow the parent's, and the worse severity counts. */
function joined(parent: Trouble, child: Trouble, findings: readonly Finding[]): Trouble {
  const nodes = unique(findings.flatMap(nodesOf)).sort();
  return {
    ...parent,
    severity: severityRank(child.severity) < severityRank(parent.severity) ? child.severity : parent.severity,
    class: child.class === 'structural' ? 'structural' : parent.class,
    findings: [...parent.findings, ...findings],
    digest: `${parent.digest}+degraded(${nodes.join(',')})`,
  };
}

function isDrainTimeout(finding: Finding): boolean {
  return finding.code === drainTimeout || (finding.because.length > 0 && finding.because.every(isDrainTimeout));
}

function sharesNode(finding: Finding, nodes: ReadonlySet<string>): boolean {
  return nodesOf(finding).some((node) => nodes.has(node));
}

/** Names of the nodes that a finding and its causes mention. */
function nodesOf(finding: Finding): readonly string[] {
  const refs = [finding.subject, ...finding.evidence.map(({ ref }) => ref)];
  return [
    ...refs.filter(({ kind }) => kind === 'Node').map(({ name }) => name),
    ...finding.because.flatMap((each) => nodesOf(each)),
  ];
}

export function isSameKey(a: TroubleKey, b: TroubleKey): boolean {
  return keyText(a) === keyText(b);
}
