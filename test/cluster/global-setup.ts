import type { TestProject } from 'vitest/node';
import { timed } from '../timed.ts';
import { startArgoCD } from './harness/argocd.ts';
import { startControlPlane } from './harness/control-plane.ts';
import { startGitServer } from './harness/git-server.ts';
import { buildToolchain } from './toolchain/build-toolchain.ts';

/** Starts the laboratory once for the run, hands its addresses to the tests, and takes it down whatever happened. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stops: (() => Promise<void>)[] = [];
  const teardown = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const toolchain = await buildToolchain((line) => console.log(`toolchain: ${line}`));
    const controlPlane = await timed('lab: control plane up', () => startControlPlane(toolchain));
    stops.push(controlPlane.stop);
    const git = await startGitServer();
    stops.push(git.stop);
    const argocd = await timed('lab: Argo CD up', () => startArgoCD(toolchain, controlPlane));
    stops.push(argocd.stop);
    const plain = { toolchain, controlPlane, argocd, git };
    // Only the data of an address survives the way to a worker; the functions are made again there.
    project.provide('lab', JSON.parse(JSON.stringify(plain)));
  } catch (cause) {
    await teardown();
    throw cause;
  }
  return teardown;
}
