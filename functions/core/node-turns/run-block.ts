import { poolkeeperCommand } from '../text/shell-words.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunProblem } from './run-question.ts';
import { pausedBySomebody, type RunRecord } from './run-record.ts';
import type { RunTile } from './run-tile.ts';

/** Why a run does not go on by itself. */
export interface RunBlock {
  readonly kind: RunProblem['kind'];
  /** Empty: it is of the whole run. */
  readonly node: string;
  /** Its place among the nodes of the run, from 1; undefined: it is of the whole run. */
  readonly place: number | undefined;
  readonly cause: string;
  /** The one command that fits best, as a shell takes it. */
  readonly action: string;
}

interface Seen {
  readonly tiles: readonly RunTile[];
  /** Of a look; empty: only what the record and the nodes say is known. */
  readonly problems: readonly RunProblem[];
}

/** What stands first in its way. */
export function runBlock({ name }: RunPlan, record: RunRecord, { tiles, problems }: Seen): RunBlock {
  const { kind, node, why } = problems[0] ?? asRecorded(record, tiles);
  const index = tiles.findIndex((tile) => tile.node === node);
  const place = index < 0 ? undefined : index + 1;
  return {
    kind,
    node,
    place,
    cause: why,
    action: actionOf(isGoOn(kind) && pausedBySomebody(record) !== undefined ? 'gate' : kind, node, name),
  };
}

/** To go on would end somebody's pause, too. */
function isGoOn(kind: RunProblem['kind']): boolean {
  return kind === 'moved' || kind === 'canary' || kind === 'lost';
}

type Known = Pick<RunProblem, 'kind' | 'node' | 'why'>;

function asRecorded(record: RunRecord, tiles: readonly RunTile[]): Known {
  const failing = tiles.find(({ state }) => state === 'blocked');
  if (failing !== undefined) {
    const kind = record.turns[failing.node]?.failed === undefined ? 'node' : 'job';
    return { kind, node: failing.node, why: failing.doing };
  }
  const told = (record.conditions ?? []).find(({ status, type }) => status === 'False' && blocking.includes(type));
  const skipped = tiles.find(({ state }) => state === 'skipped');
  if (told === undefined && skipped !== undefined)
    return { kind: 'skipped', node: skipped.node, why: `it was skipped: ${skipped.doing}` };
  // Somebody has let the failed Job try again, and Poolkeeper has not looked since.
  const kind = told?.type === 'JobRun' ? 'gate' : 'refused';
  return { kind, node: '', why: told?.message ?? 'its cause is known after the next look' };
}

const blocking: readonly string[] = ['ConfigValidated', 'JobRun', 'NodeUpgrade'];

function actionOf(kind: RunProblem['kind'], node: string, run: string): string {
  const decide = (...words: readonly string[]) => `${poolkeeperCommand('run', ...words)} --reason "..."`;
  switch (kind) {
    case 'job':
    case 'skipped':
      return decide('retry', run, node);
    case 'moved':
    case 'canary':
    case 'lost':
      return decide('go-on', run);
    case 'gate':
      return poolkeeperCommand('run', 'status', run);
    case 'node':
      return poolkeeperCommand('explain', '--node', node);
    case 'refused':
    case 'unseen':
      return poolkeeperCommand('doctor');
    default:
      return kind satisfies never;
  }
}
