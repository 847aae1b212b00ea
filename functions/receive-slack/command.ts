import type * as z from 'zod';
import { configOfChange } from '../core/openshift/change-name.ts';
import { renderedFor } from '../core/openshift/membership.ts';
import { ClusterRequest } from '../core/requests/asked-request.ts';
import { freezeHereBounds } from '../core/requests/bounds.ts';
import { ApprovalRequest, IncidentRequest } from '../core/requests/request.ts';
import { clean, safeLine } from '../core/text/safe-text.ts';
import { durationSeconds } from '../shell/configuration/duration.ts';
import { nearest } from '../shell/configuration/nearest.ts';

/** What a person typed behind `/poolkeeper`. */
export type TypedCommand =
  | { readonly kind: 'help'; readonly about: CommandWord | undefined }
  /** Names the argument. Not escaped. */
  | { readonly kind: 'problem'; readonly why: string }
  | { readonly kind: 'incident'; readonly request: IncidentRequest }
  | { readonly kind: 'approval'; readonly request: ApprovalRequest }
  | { readonly kind: 'asked'; readonly cluster: string; readonly request: ClusterRequest };

/** What the words may be about. */
export interface CommandContext {
  readonly clusters: readonly string[];
  /** Not listed, and refused by whoever judges the request. */
  readonly otherClusters: readonly string[];
  /** Cluster of each run. */
  readonly runs: ReadonlyMap<string, string>;
  /** Of an acknowledgement for which no time is given. */
  readonly acknowledgeForSeconds: number;
}

/** The commands in the order in which help lists them. */
export const commandUsage = {
  status: { usage: 'status [CLUSTER]', about: 'what is wrong, what is paused' },
  why: { usage: 'why [[CLUSTER/]POOL]', about: 'why a pool is paused, and who can end that' },
  hold: { usage: 'hold [CLUSTER/]POOL TIME REASON', about: 'keep a pool paused, for a day at most' },
  resume: { usage: 'resume [CLUSTER/]POOL REASON', about: 'end holds of people; goes past gates and running syncs' },
  freeze: { usage: 'freeze [CLUSTER/]POOL TIME REASON', about: 'nothing rolls out; CLUSTER/* freezes all its pools' },
  thaw: { usage: 'thaw [CLUSTER/]POOL REASON', about: 'end a freeze early' },
  approve: { usage: 'approve [CLUSTER/]POOL [CONFIG [REASON]]', about: 'approve a change; without CONFIG: show it' },
  revoke: { usage: 'revoke [CLUSTER/]POOL CONFIG [REASON]', about: 'take your approval back' },
  ack: { usage: 'ack PK-7 [TIME] [REASON]', about: 'take an incident' },
  snooze: { usage: 'snooze PK-7 TIME [REASON]', about: 'silence an incident for a while' },
  recheck: { usage: 'recheck PK-7', about: 'look at its cluster now' },
  run: { usage: 'run status|start|pause|go-on|abort RUN [REASON]', about: 'a run of node turns' },
  help: { usage: 'help [COMMAND]', about: 'this list' },
} as const;
export type CommandWord = keyof typeof commandUsage;

const words: readonly string[] = Object.keys(commandUsage);

function isWord(text: string): text is CommandWord {
  return words.includes(text);
}

/** Thrown within this file only. */
class Problem extends Error {
  override readonly name = 'Problem';
}

/** Reads a command. What is wrong with it is an answer. */
export function readCommand(text: string, context: CommandContext): TypedCommand {
  const [word = 'help', ...rest] = wordsOf(text);
  const name = word.toLowerCase();
  if (!isWord(name)) return { kind: 'problem', why: unknown('command', word, words) };
  try {
    return readers[name](rest, context);
  } catch (cause) {
    if (cause instanceof Problem)
      return {
        kind: 'problem',
        why: `${cause.message.replace(/[?.]?$/, (end) => (end === '' ? '.' : end))} Write: ${commandUsage[name].usage}`,
      };
    throw cause;
  }
}

/** Slack escapes three characters, and phones write quotation marks of their own. */
function wordsOf(text: string): readonly string[] {
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return clean(plain)
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
}

type Reader = (words: readonly string[], context: CommandContext) => TypedCommand;

const readers: Readonly<Record<CommandWord, Reader>> = {
  help: ([about = '']) => ({ kind: 'help', about: isWord(about) ? about : undefined }),
  status: ([cluster, ...more], context) => {
    nothingElse(more);
    if (cluster !== undefined) requireCluster(cluster, context);
    return asked('', { kind: 'look', about: 'status', name: cluster ?? '' });
  },
  why: ([place, ...more], context) => {
    nothingElse(more);
    if (place === undefined) return asked('', { kind: 'look', about: 'why', name: '' });
    const { cluster, pool } = placeOf(place, context, { cluster: 'optional' });
    return asked(cluster, { kind: 'look', about: 'why', name: pool });
  },
  hold: ([place, time, ...reason], context) => {
    const { cluster, pool } = placeOf(place, context);
    return asked(cluster, { kind: 'hold', pool, forSeconds: secondsOf(time), reason: reasonOf(reason) });
  },
  resume: ([place, ...reason], context) => {
    const { cluster, pool } = placeOf(place, context);
    return asked(cluster, { kind: 'resume', pool, reason: reasonOf(reason) });
  },
  freeze: ([place, time, ...reason], context) => {
    const { cluster, pool } = placeOf(place, context, { all: true });
    return asked(cluster, { kind: 'freeze', pool, forSeconds: secondsOf(time), reason: reasonOf(reason) });
  },
  thaw: ([place, ...reason], context) => {
    const { cluster, pool } = placeOf(place, context, { all: true });
    return asked(cluster, { kind: 'thaw', pool, reason: reasonOf(reason) });
  },
  approve: ([place, config, ...reason], context) => {
    const { cluster, pool } = placeOf(place, context);
    if (config === undefined) return asked(cluster, { kind: 'look', about: 'approval', name: pool });
    return approval('approve', { cluster, pool, config: configOf(config, pool), reason: reasonOf(reason) });
  },
  revoke: ([place, config, ...reason], context) => {
    const { cluster, pool } = placeOf(place, context);
    return approval('revoke', { cluster, pool, config: configOf(config ?? '', pool), reason: reasonOf(reason) });
  },
  ack: ([name, ...rest], { acknowledgeForSeconds }) => {
    const [time, ...reason] = rest;
    const forSeconds = durationSeconds(time ?? '');
    return forSeconds === undefined
      ? incident('acknowledge', name, { forSeconds: acknowledgeForSeconds, reason: reasonOf(rest) })
      : incident('acknowledge', name, { forSeconds, reason: reasonOf(reason) });
  },
  snooze: ([name, time, ...reason]) =>
    incident('snooze', name, { forSeconds: secondsOf(time), reason: reasonOf(reason) }),
  recheck: ([name, ...more]) => {
    nothingElse(more);
    return incident('recheck', name, { reason: '' });
  },
  run: ([act, run, ...reason], { runs, clusters }) => {
    const acts = ['status', 'start', 'pause', 'go-on', 'abort'];
    if (act === undefined || !acts.includes(act)) throw new Problem(`run: ${unknown('word', act ?? '', acts)}`);
    const cluster = runs.get(run ?? '');
    if (run === undefined || cluster === undefined)
      throw new Problem(`RUN: ${unknown('run', run ?? '', runsOn(clusters, runs))}`);
    if (act === 'status') return asked(cluster, { kind: 'look', about: 'run', name: run });
    return asked(cluster, { kind: 'steer-run', act, run, reason: reasonOf(reason) });
  },
};

function nothingElse([first]: readonly string[]): void {
  if (first !== undefined) throw new Problem(`"${shown(first)}" is not understood`);
}

function reasonOf(typed: readonly string[]): string {
  const flag = typed.find((word) => /^(?:--|—)[a-z]/.test(word));
  if (flag !== undefined) throw new Problem(`"${shown(flag)}": there are no flags in Slack`);
  return typed.join(' ').replace(/^["\u201c\u201d\u201e](.*)["\u201c\u201d\u201e]$/s, '$1');
}

const nameOf = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

function placeOf(
  typed: string | undefined,
  context: CommandContext,
  takes: { readonly all?: boolean; readonly cluster?: 'optional' } = {},
): { readonly cluster: string; readonly pool: string } {
  if (typed === undefined) throw new Problem('POOL is missing: which pool?');
  const [first = '', second, ...more] = typed.split('/');
  const [cluster, pool] = second === undefined ? [undefined, first] : [first, second];
  if (more.length > 0 || !(nameOf.test(pool) || (pool === '*' && takes.all === true)))
    throw new Problem(`POOL: "${shown(typed)}" is not the name of a pool`);
  if (cluster !== undefined) requireCluster(cluster, context);
  if (cluster === undefined && pool === '*') throw new Problem('CLUSTER is missing: of which cluster all pools?');
  if (cluster !== undefined) return { cluster, pool };
  const [only, ...others] = context.clusters;
  if (only !== undefined && others.length === 0) return { cluster: only, pool };
  if (takes.cluster === 'optional') return { cluster: '', pool };
  throw new Problem(`CLUSTER is missing: ${only ?? 'cluster'}/${pool}, or on which other?`);
}

function requireCluster(typed: string, { clusters, otherClusters }: CommandContext): void {
  if (!clusters.includes(typed) && !otherClusters.includes(typed))
    throw new Problem(`CLUSTER: ${unknown('cluster', typed, clusters)}`);
}

function secondsOf(typed: string | undefined): number {
  if (typed === undefined) throw new Problem('TIME is missing: for how long? Like 30m, 2h or 1h30m');
  const seconds = durationSeconds(typed);
  if (seconds === undefined) throw new Problem(`TIME: "${shown(typed)}" is not a time like 30m, 2h or 1h30m`);
  return seconds;
}

function asked(cluster: string, draft: Readonly<Record<string, unknown>>): TypedCommand {
  const request = checked(ClusterRequest, draft);
  if ('forSeconds' in request && request.forSeconds > freezeHereBounds.most)
    throw new Problem('TIME: at most 24h from Slack; longer by `poolkeeper`');
  return { kind: 'asked', cluster, request };
}

function approval(kind: 'approve' | 'revoke', draft: Readonly<Record<string, string>>): TypedCommand {
  return { kind: 'approval', request: checked(ApprovalRequest, { kind, ...draft }) };
}

/** A reason in its place would be taken for a config, and whoever revokes would be told that it is done. Source: MCO,
 *  getMachineConfigHashedName. */
function configOf(typed: string, pool: string): string {
  if (typed !== '' && renderedFor(configOfChange(typed)) !== pool)
    throw new Problem(`CONFIG: "${shown(typed)}" is no rendered config of that pool, as rendered-${pool}-0a1b2c3d`);
  return typed;
}

function incident(
  kind: IncidentRequest['kind'],
  name: string | undefined,
  draft: Readonly<Record<string, unknown>>,
): TypedCommand {
  const number = /^(?:PK-)?([1-9]\d{0,8})$/i.exec(name ?? '')?.[1];
  if (number === undefined) throw new Problem('which incident? Like PK-7, as in its message');
  return { kind: 'incident', request: checked(IncidentRequest, { kind, incident: Number(number), ...draft }) };
}

/** As the usage calls the fields. */
const argumentOf: Readonly<Record<string, string>> = {
  pool: 'POOL',
  config: 'CONFIG',
  reason: 'REASON',
  forSeconds: 'TIME',
  run: 'RUN',
};

function checked<T>(schema: z.ZodType<T>, draft: unknown): T {
  const read = schema.safeParse(draft);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = String(issue?.path[0] ?? '');
  throw new Problem(`${argumentOf[field] ?? field} ${issue?.message ?? 'is not understood'}`);
}

function unknown(what: string, typed: string, known: readonly string[]): string {
  const meant = nearest(typed.slice(0, 60), known);
  if (meant !== undefined) return `there is no ${what} "${shown(typed)}"; did you mean ${meant}?`;
  const some = known.slice(0, 15).join(', ');
  return `there is no ${what} "${shown(typed)}"; there ${known.length === 0 ? 'are none' : `is ${some}`}`;
}

/** A word of theirs inside a sentence of ours. */
function shown(typed: string): string {
  return safeLine(typed, 60);
}

/** Those of other clusters are not named to a channel that hears nothing of them. */
function runsOn(clusters: readonly string[], runs: CommandContext['runs']): readonly string[] {
  return [...runs].flatMap(([run, cluster]) => (clusters.includes(cluster) ? [run] : []));
}
