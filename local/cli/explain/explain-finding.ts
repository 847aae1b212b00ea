import { causeOf } from '../../../functions/core/diagnose/catalogue.ts';
import { chainOf, everyFinding } from '../../../functions/core/findings/chain.ts';
import { remediesInOrder } from '../../../functions/core/findings/remedy-order.ts';
import { type Finding, type Remedy, refText } from '../../../functions/core/findings/trouble.ts';
import { confidenceWords, riskWords } from '../../../functions/core/findings/trouble-words.ts';
import { causeText, contentText } from '../../../functions/core/machine-config/pending-text.ts';
import { duration, secondsBetween } from '../../../functions/core/text/durations.ts';
import { counted } from '../../../functions/core/text/phrases.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import type { AskedNode, EarlyDrain, ExplainedIncident, PoolExplanation } from './explanation.ts';

/** Content shared by text and Markdown. Every text from the cluster is cleaned and on one line. */
export interface ExplainedFinding {
  readonly cause: string;
  readonly code: string;
  readonly title: string;
  readonly confidence: string;
  /** From the symptom to the cause, without the cause. */
  readonly chain: readonly string[];
  readonly remedies: readonly {
    readonly title: string;
    readonly risk: string;
    readonly who: string;
    readonly command: string | undefined;
    readonly undo: string | undefined;
  }[];
  readonly evidence: readonly {
    readonly object: string;
    readonly path: string;
    readonly value: string;
    readonly readAt: string;
  }[];
}

const longest = 700;

export function explainFinding(finding: Finding): ExplainedFinding {
  const chain = chainOf(finding);
  const root = chain.at(-1) ?? finding;
  return {
    cause: safeLine(root.sentence, longest),
    code: root.code,
    title: causeOf(root.code)?.title ?? '',
    confidence: confidenceWords(root.confidence),
    chain: chain.slice(0, -1).map(({ code, sentence }) => `${safeLine(sentence, longest)} [${code}]`),
    remedies: remediesInOrder([finding]).map(remedyWords),
    evidence: everyFinding(finding)
      .flatMap(({ evidence }) => evidence)
      .map(({ ref, path, value, readAt }) => ({
        object: safeLine(refText(ref), 300),
        path: safeLine(path, 200),
        value: safeLine(value, longest),
        readAt,
      })),
  };
}

function remedyWords({ title, risk, who, command, undo }: Remedy): ExplainedFinding['remedies'][number] {
  return {
    title: safeLine(title, longest),
    risk: riskWords(risk),
    who,
    command: wholeCommand(command),
    undo: wholeCommand(undo),
  };
}

const longestCommand = 4_000;

/** A command is printed in full or not at all: half of one does something else. */
function wholeCommand(command = ''): string | undefined {
  return command === '' || command.length > longestCommand ? undefined : command;
}

/** The change that is pending or rolling out, and its cause; empty if unknown. */
export function changeWords({ change }: Pick<PoolExplanation, 'change'>): readonly string[] {
  if (change === undefined) return [];
  const why = causeText(change);
  return [
    ...(why === '' ? [] : [`Re-rendered because of ${safeLine(why, longest)}.`]),
    `Changes: ${safeLine(contentText(change), longest)}.`,
  ];
}

/** A name from a recording may be anything. */
export function nameWords(name: string): string {
  return safeLine(name, 253);
}

/** `PK-7 (firing) is about pool worker of cluster prod-eu-1: 3 nodes Degraded.` */
export function incidentWords({ name, state, cluster, pool, headline, isClusterKnown }: ExplainedIncident): string {
  const which = `${pool === '*' ? '' : `pool ${nameWords(pool)} of `}cluster ${nameWords(cluster)}`;
  const doubt = isClusterKnown ? '' : ' Whether what follows is that cluster is not known.';
  return `${nameWords(name)} (${safeLine(state, 40)}) is about ${which}: ${safeLine(headline, 300)}.${doubt}`;
}

/** `2 of 3 nodes updated, rolling out rendered-worker-bbb`. */
export function stateWords({ counts, current, target, pause }: PoolExplanation): string {
  const { machines, updated, degraded, unavailable } = counts;
  const change =
    target === '' || target === current
      ? `on ${nameWords(current) || 'no config yet'}`
      : `${pause === undefined ? 'rolling out' : 'paused before'} ${nameWords(target)}`;
  return [
    `${updated} of ${counted(machines, 'node')} updated`,
    ...(degraded === 0 ? [] : [`${degraded} degraded`]),
    ...(unavailable === 0 ? [] : [`${unavailable} unavailable`]),
    change,
  ].join(', ');
}

export function busyWords({ busy }: PoolExplanation, readAt: string): readonly string[] {
  return busy.map(
    ({ node, symptom, since }) =>
      `${nameWords(node)}: ${symptom}${since === undefined ? '' : ` for ${duration(secondsBetween(since, readAt))}`}`,
  );
}

/** `worker-2 is draining, not stuck yet. This is what holds it now; it counts as stuck from …`. */
export function earlyWords({ node, stuckFrom, findings }: EarlyDrain): string {
  const held = findings.length === 0 ? 'Nothing holds it so far' : 'This holds it now';
  return `${nameWords(node)} is draining and not stuck yet. ${held}; it counts as stuck from ${stuckFrom} at the latest.`;
}

/** `is at rest: its config daemon reports Done`: of a node that is not on its way. */
export function restWords({ place, state }: AskedNode): string {
  const said = `its config daemon reports ${safeLine(state, 40) || 'nothing'}`;
  return place === 'outside' ? `is updated by no pool; ${said}` : `is at rest: ${said}`;
}

/** Undefined: something was found, or one node was asked for. */
export function calmWords({ troubles, asked, pause, early }: PoolExplanation): string | undefined {
  if (troubles.length > 0 || asked !== undefined || early.some(({ findings }) => findings.length > 0)) return undefined;
  return pause === undefined ? 'Nothing wrong was found.' : 'Nothing else was found.';
}
