import type { ObjectChange } from '../api-server/object-store.ts';
import type { Registry } from '../api-server/registry.ts';
import type { ResourceType } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';

interface Reconciliation {
  readonly registry: Registry;
  readonly pace: Pace;
  /** Kinds whose changes trigger a run. */
  readonly types: readonly ResourceType[];
  readonly afterMs: number;
  /** Reconciles everything. */
  readonly run: () => void;
}

/** A level-triggered loop: many changes at once trigger one run, and every run sees the whole state. */
export function reconcileOn({ registry, pace, types, afterMs, run }: Reconciliation): void {
  let asked = false;
  registry.subscribe(({ type }: ObjectChange) => {
    if (asked || !types.includes(type)) return;
    asked = true;
    pace.after(afterMs, () => {
      asked = false;
      run();
    });
  });
}
