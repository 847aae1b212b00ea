import { join } from 'node:path';
import type { Toolchain } from '../toolchain/build-toolchain.ts';
import { type ControlPlaneAddress, openControlPlane } from './control-plane.ts';
import { type ControllerManager, startControllerManager } from './controller-manager.ts';
import { type RunningProgram, startProgram } from './process.ts';

/** What makes pods of workloads, counts quotas, binds volumes and judges nodes, besides what every laboratory runs. */
const controllers: ControllerManager = {
  name: 'workload-controllers',
  controllers: [
    'deployment-controller',
    'replicaset-controller',
    'statefulset-controller',
    'daemonset-controller',
    'resourcequota-controller',
    'persistentvolume-binder-controller',
    'persistentvolume-protection-controller',
    'persistentvolumeclaim-protection-controller',
    'node-lifecycle-controller',
  ],
  // A node whose kubelet says nothing for so long is called unreachable; a real cluster waits 50 s.
  args: [
    '--node-monitor-grace-period=12s',
    '--node-monitor-period=1s',
    '--pvclaimbinder-sync-period=1s',
    '--kube-api-qps=100',
    '--kube-api-burst=200',
  ],
};

export interface Workloads {
  readonly stop: () => Promise<void>;
}

/**
 * Starts a real kube-scheduler and the real controllers of workloads and nodes on a control plane. They run only for
 * the files that ask for them, because they change what other tests say of pods and nodes. Kubelets are a stand-in
 * (`kubelets.ts`).
 */
export async function startWorkloads(toolchain: Toolchain, address: ControlPlaneAddress): Promise<Workloads> {
  const { folder, kubeconfig } = address;
  const manager = await startControllerManager({ toolchain, folder, kubeconfig }, controllers);
  const scheduler = await startScheduler(toolchain, address);
  return {
    stop: async () => {
      await scheduler.stop();
      await manager.stop();
    },
  };
}

/** A real kube-scheduler. Throws where a pod waits for one: another file has left it, and on one of our nodes nobody
 *  would ever end it. */
export async function startScheduler(toolchain: Toolchain, address: ControlPlaneAddress): Promise<RunningProgram> {
  const { folder, kubeconfig } = address;
  const pods = await openControlPlane(address).kube.list('/api/v1/pods');
  const left = pods.filter(({ spec }) => spec.nodeName === undefined);
  if (left.length > 0) {
    const names = left.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`).join(', ');
    throw new Error(`pods of another test wait to be scheduled: ${names}`);
  }
  return startProgram({
    name: 'kube-scheduler',
    file: toolchain.kubeScheduler,
    args: [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'],
    folder,
    logFile: join(folder, 'kube-scheduler.log'),
  });
}
