import { inject, onTestFinished } from 'vitest';
import type { Toolchain } from '../toolchain/build-toolchain.ts';
import { type ArgoCD, type ArgoCDAddress, openArgoCD } from './argocd.ts';
import { type ControlPlane, type ControlPlaneAddress, openControlPlane } from './control-plane.ts';
import { type GitServer, type GitServerAddress, openGitServer } from './git-server.ts';
import type { Draft, Kube, KubeObject } from './kube.ts';
import { collectionOf } from './paths.ts';
import { untilGone } from './until.ts';

/** What the global setup hands to the test files. */
export interface LabAddress {
  readonly toolchain: Toolchain;
  readonly controlPlane: ControlPlaneAddress;
  readonly argocd: ArgoCDAddress;
  readonly git: GitServerAddress;
}

declare module 'vitest' {
  interface ProvidedContext {
    lab: LabAddress;
  }
}

/** The laboratory: one control plane, one Argo CD and one Git server, shared by all tests of a run. */
export interface Lab {
  readonly toolchain: Toolchain;
  readonly controlPlane: ControlPlane;
  /** The administrator's access to the API server. */
  readonly kube: Kube;
  readonly argocd: ArgoCD;
  readonly git: GitServer;
  /** Creates an object that goes with the test that asked for it; give it a name no other test uses. */
  readonly create: (object: Draft) => Promise<KubeObject>;
}

export function useLab(): Lab {
  const address = inject('lab');
  const controlPlane = openControlPlane(address.controlPlane);
  const { kube } = controlPlane;
  return {
    toolchain: address.toolchain,
    controlPlane,
    kube,
    argocd: openArgoCD(address.argocd, controlPlane),
    git: openGitServer(address.git),
    create: async (object) => {
      const collection = collectionOf(object);
      const created = await kube.post(collection, object);
      const path = `${collection}/${created.metadata.name}`;
      onTestFinished(async () => {
        await kube.delete(path);
        // Its pods end only while the kubelets of its test run.
        if (object.kind === 'Namespace') await untilGone(kube, path);
      });
      return created;
    },
  };
}
