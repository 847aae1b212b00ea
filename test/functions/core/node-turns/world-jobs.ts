import type { WorkSeen } from '../../../../functions/core/node-turns/judge-turn.ts';
import { isOver, type RunRecord, type Turn } from '../../../../functions/core/node-turns/run-record.ts';

type JobState = 'running' | 'complete' | 'failed';

/** One part of one rule for one node. */
export interface JobOf {
  readonly node: string;
  readonly rule: string;
  readonly part: 'before' | 'after';
}

/** Jobs of the turns of a simulated cluster, by what their names are made of. */
export class WorldJobs {
  private readonly jobs = new Map<string, JobState>();
  /** Rules of which a record said that they begin: their Jobs may be there, or come. */
  private readonly mayHaveRun = new Set<string>();

  /** A record is saved. */
  note({ turns }: RunRecord): void {
    for (const [node, { round, ran }] of Object.entries(turns))
      for (const rule of ran) this.mayHaveRun.add(`${round}/${node}/${rule}`);
  }

  /** One that is there already stays as it is. */
  create(turn: Turn, job: JobOf): void {
    const name = nameOf(turn, job);
    if (!this.jobs.has(name)) this.jobs.set(name, 'running');
  }

  /** How what each turn works on stands. */
  seen({ turns }: RunRecord): ReadonlyMap<string, WorkSeen> {
    return new Map(
      Object.entries(turns).flatMap(([node, turn]) => {
        if (isOver(turn)) return [];
        const part = turn.step === 'after' ? 'after' : 'before';
        const rule = (part === 'after' ? turn.cleaned : turn.ran).at(-1);
        const state = rule === undefined ? undefined : this.jobs.get(nameOf(turn, { node, rule, part }));
        return [[node, seenOf(state)] as const];
      }),
    );
  }

  /** States of the Jobs of a rule before the update, of every attempt in this round. */
  statesBefore(round: string | undefined, node: string, rule: string): readonly JobState[] {
    const isOwn = (name: string) => name.startsWith(`${round}/${node}/${rule}/before/`);
    return [...this.jobs].flatMap(([name, state]) => (isOwn(name) ? [state] : []));
  }

  end(index: number, state: 'complete' | 'failed'): void {
    const running = [...this.jobs.keys()].filter((name) => this.jobs.get(name) === 'running');
    const name = running[index % Math.max(1, running.length)];
    if (name !== undefined) this.jobs.set(name, state);
  }

  completeAll(): void {
    for (const [name, state] of this.jobs) if (state === 'running') this.jobs.set(name, 'complete');
  }

  /** What is wrong with the clean-ups of a rule for a node: there is one for each round in which its Job was begun. */
  get wrongCleanUps(): readonly string[] {
    const names = [...this.jobs.keys()].map((key) => key.split('/'));
    const rounds = (part: string) =>
      new Set(names.filter((parts) => parts.at(-2) === part).map((parts) => parts.slice(0, -2).join('/')));
    const [begun, cleaned] = [rounds('before'), rounds('after')];
    const missing = [...begun].filter((round) => !cleaned.has(round));
    const needless = [...cleaned].filter((round) => !this.mayHaveRun.has(round));
    return [
      ...missing.map((round) => `no clean-up of ${round}`),
      ...needless.map((round) => `a clean-up of ${round}, which never ran`),
    ];
  }
}

function nameOf({ round, attempt }: Turn, { node, rule, part }: JobOf): string {
  return [round, node, rule, part, attempt].join('/');
}

function seenOf(state: JobState | undefined): WorkSeen {
  switch (state) {
    case undefined:
      return { kind: 'absent' };
    case 'failed':
      return { kind: 'failed', why: 'exit code 1' };
    case 'complete':
      return { kind: 'complete', said: '' };
    default:
      return { kind: 'running' };
  }
}
