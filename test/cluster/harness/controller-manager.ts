import { join } from 'node:path';
import type { Toolchain } from '../toolchain/build-toolchain.ts';
import { type RunningProgram, startProgram } from './process.ts';

export interface ControllerManager {
  /** Of its log file. */
  readonly name: string;
  readonly controllers: readonly string[];
  /** Flags besides. */
  readonly args?: readonly string[];
}

export interface ControllerHome {
  readonly toolchain: Toolchain;
  readonly kubeconfig: string;
  /** Where its log goes. */
  readonly folder: string;
}

/** Starts a real kube-controller-manager with these controllers alone. Several may run side by side, each with its
 *  own. */
export function startControllerManager(
  { toolchain, kubeconfig, folder }: ControllerHome,
  { name, controllers, args = [] }: ControllerManager,
): Promise<RunningProgram> {
  return startProgram({
    name,
    file: toolchain.kubeControllerManager,
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--controllers=${controllers.join(',')}`,
      '--leader-elect=false',
      '--secure-port=0',
      ...args,
    ],
    folder,
    logFile: join(folder, `${name}.log`),
  });
}
