import { Transient } from '../../../functions/core/text/errors.ts';
import type { SequenceLab } from './sequence-lab.ts';

/** A call about an AppProject. */
export interface ProjectCall {
  readonly on: 'prod' | 'edge';
  readonly project: string;
  readonly isWrite: boolean;
}

/** How long a call takes, in seconds, and whether it fails then, which is for writes. */
export interface SlowCall {
  readonly seconds: number;
  readonly fails?: 'unreachable' | 'forbidden';
}

interface Waiting {
  readonly dueAt: number;
  readonly wake: () => void;
}

/** Has calls about AppProjects take time, those that are made beside each other the same time. Returns how many were
 *  made on one cluster at once at most. */
export function slowCalls({ lab, ...clusters }: SequenceLab, slow: (call: ProjectCall) => SlowCall): () => number {
  const { clock } = lab.world;
  const waiting = new Set<Waiting>();
  let most = 0;

  async function wakeInTurn(): Promise<void> {
    while (waiting.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = [...waiting].toSorted((a, b) => a.dueAt - b.dueAt);
      if (next === undefined) continue;
      waiting.delete(next);
      clock.set(new Date(Math.max(clock.now().getTime(), next.dueAt)));
      next.wake();
    }
  }

  function take(seconds: number): Promise<void> {
    return new Promise((wake) => {
      waiting.add({ dueAt: clock.now().getTime() + seconds * 1000, wake });
      if (waiting.size === 1) void wakeInTurn();
    });
  }

  for (const on of ['prod', 'edge'] as const) {
    const { reader, writer } = clusters[on].ports;
    let open = 0;
    const call = async <T>(path: string, isWrite: boolean, made: () => Promise<T>): Promise<T> => {
      const project = /\/appprojects\/([^/]+)$/.exec(path)?.[1];
      if (project === undefined) return made();
      const { seconds, fails: kind } = slow({ on, project, isWrite });
      open += 1;
      most = Math.max(most, open);
      await take(seconds);
      open -= 1;
      if (kind !== undefined) throw new Transient(`PATCH ${path}: refused`, { kind, isAnswered: true });
      return made();
    };
    const { read } = reader;
    Object.assign(reader, {
      read: (question: Parameters<typeof read>[0]) => call(question.path, false, () => read(question)),
    });
    if (writer === undefined) continue;
    const { patch } = writer;
    Object.assign(writer, {
      patch: (path: string, change: Parameters<typeof patch>[1]) => call(path, true, () => patch(path, change)),
    });
  }
  return () => most;
}
