import { join } from 'node:path';
import { startControlPlane } from '../cluster/harness/control-plane.ts';
import { buildToolchain } from '../cluster/toolchain/build-toolchain.ts';
import { benchCold } from './cold/run.ts';
import { countQuietTick, isAsExpected, type TickCalls } from './count-quiet-tick.ts';
import { describeFigures, pauseGoals } from './describe-figures.ts';
import { isMissed } from './goal.ts';
import { measureBundles } from './measure-bundles.ts';
import { measurePauses, type PauseSamples } from './measure-pauses.ts';
import { fleetSizes, measureRendering, renderingGoal } from './measure-rendering.ts';
import { benchFeel } from './run-feel.ts';
import { benchNewcomer } from './run-newcomer.ts';
import { benchRouting } from './run-routing.ts';
import { benchStorm } from './run-storm.ts';
import { benchScale } from './scale/run.ts';
import { surroundings } from './surroundings.ts';
import { createNamespace, versionOf } from './world.ts';
import { writeFigures } from './write-figures.ts';

/** Where people read the figures. */
const page = join(import.meta.dirname, '../../docs/benchmarks.md');

/** Pools and Applications that hold one of them. */
const quietClusters = [1, 20].flatMap((pools) => [0, 1, 5].map((holders) => ({ pools, holders })));

/** `npm run bench`: measures, prints, and writes docs/benchmarks.md. False if the calls of a quiet tick or the sizes of
 *  the bundles are not what they should be, or a goal is missed by more than the noise. */
async function bench(): Promise<boolean> {
  const toolchain = await buildToolchain((line) => console.log(`toolchain: ${line}`));
  console.log('about two minutes; the figures come at the end');
  const cluster = await onControlPlane(toolchain);
  const bundles = await measureBundles(11);
  const rendering = fleetSizes.map(measureRendering);
  const fleet = renderingGoal();
  const figures = describeFigures({ ...cluster, bundles, rendering, renderingGoal: fleet });
  await writeFigures(page, figures);
  console.log(`\n${figures}`);
  return (
    ![...pauseGoals(cluster.pauses), fleet].some(isMissed) &&
    cluster.ticks.every(isAsExpected) &&
    bundles.every(({ sizeKiB, atMostKiB }) => sizeKiB <= atMostKiB)
  );
}

async function onControlPlane(toolchain: Awaited<ReturnType<typeof buildToolchain>>) {
  const controlPlane = await startControlPlane(toolchain);
  try {
    await createNamespace(controlPlane.kube);
    const where = await surroundings(await versionOf(controlPlane.kube));
    const pauses: PauseSamples = await measurePauses(controlPlane, { samples: 250, warmUp: 20 });
    const ticks: TickCalls[] = [];
    for (const each of quietClusters) ticks.push(await countQuietTick(controlPlane, each));
    return { surroundings: where, pauses, ticks };
  } finally {
    await controlPlane.stop();
  }
}

// An exit clears away what was started; the end that a signal makes by itself would not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const asItShould = await bench();
const isRoutedFast = await benchRouting();
const isStormSmall = await benchStorm();
const isFelt = await benchFeel();
const isQuick = await benchNewcomer();
await benchCold();
process.exitCode = (await benchScale()) && isStormSmall && isFelt && isQuick && isRoutedFast && asItShould ? 0 : 1;
