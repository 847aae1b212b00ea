import { onTestFinished } from 'vitest';
import { type RunLab, type RunLabOptions, runLab } from './run-lab.ts';

/** A run at which a first pass has looked; its lab is stopped with the test. */
export async function aRun(options: RunLabOptions = {}): Promise<RunLab> {
  const lab = await runLab(options);
  onTestFinished(() => lab.stop());
  await lab.tick();
  return lab;
}
