import { vi } from 'vitest';

/** Sets what a Lambda finds in its environment, and keeps what it writes out of the report. */
export function enterLambda(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(console, 'log').mockReturnValue();
}

export function leaveLambda(): void {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
}

/** Everything that was written out since `enterLambda`. */
export function writtenOut(): string {
  return [process.stdout.write, process.stderr.write, console.log]
    .flatMap((write) => vi.mocked(write).mock.calls)
    .flat()
    .join('\n');
}
