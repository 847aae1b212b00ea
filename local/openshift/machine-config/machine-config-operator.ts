import type { Registry } from '../api-server/registry.ts';
import type { Pace } from '../pace.ts';
import { type ConfigDaemons, startConfigDaemons } from './config-daemon.ts';
import { startDrainController } from './drain-controller.ts';
import { startNodeController } from './node-controller.ts';
import { createProgressReport } from './node-progress.ts';
import { startOperatorSync } from './operator-sync.ts';
import { startRenderController } from './render-controller.ts';
import { timings as measured, type Timings } from './timings.ts';
import { startTuningController } from './tuning-controller.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  /** Takes a node down and resolves when its kubelet is ready again. */
  readonly reboot: (nodeName: string) => Promise<void>;
  readonly timings?: Partial<Timings>;
}

/** Starts everything of the Machine Config Operator that affects nodes. It ends when the pace is stopped. */
export function startMachineConfigOperator({ registry, pace, reboot, timings: own = {} }: Parts): ConfigDaemons {
  const timings = { ...measured, ...own };
  const report = createProgressReport({ registry, pace });
  startOperatorSync({ registry, pace, timings });
  startTuningController({ registry, pace });
  startRenderController({ registry, pace, timings });
  startNodeController({ registry, pace, timings });
  startDrainController({ registry, pace, timings, report });
  return startConfigDaemons({ registry, pace, timings, report, reboot });
}
