import { buildToolchain } from './build-toolchain.ts';

/** `node test/cluster/toolchain/main.ts` fills the cache without running a test, for machines that keep one. */
try {
  await buildToolchain((line) => console.log(`toolchain: ${line}`));
} catch (cause) {
  console.error(`toolchain: ${cause instanceof Error ? cause.message : String(cause)}`);
  process.exitCode = 1;
}
