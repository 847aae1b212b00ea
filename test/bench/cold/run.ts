import { join } from 'node:path';
import { startControlPlane } from '../../cluster/harness/control-plane.ts';
import { buildToolchain } from '../../cluster/toolchain/build-toolchain.ts';
import { surroundings } from '../surroundings.ts';
import { createNamespace, versionOf } from '../world.ts';
import { writeFigures } from '../write-figures.ts';
import { describeCold } from './describe.ts';
import { measureCold } from './measure-cold.ts';

const page = join(import.meta.dirname, '../../../docs/benchmarks.md');

/** What a push costs the deployed functions when their environments are new, by parts; writes the page. */
export async function benchCold(): Promise<void> {
  const controlPlane = await startControlPlane(await buildToolchain(console.log));
  try {
    await createNamespace(controlPlane.kube);
    const where = await surroundings(await versionOf(controlPlane.kube));
    const figures = [
      `Run on ${where.date} at commit ${where.commit}: ${where.machine}, load average ${where.load} before it began; ${where.versions}.`,
      describeCold(await measureCold(controlPlane, 15)),
    ].join('\n\n');
    await writeFigures(page, figures, 'a cold start');
    console.log(`\n${figures}`);
  } finally {
    await controlPlane.stop();
  }
}

if (import.meta.main) await benchCold();
