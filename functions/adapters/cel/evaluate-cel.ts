import { Environment } from '@marcbachmann/cel-js';
import type { CelResult } from '../../core/sequences/judge-gate.ts';
import { stoppable } from '../yaml/stoppable.ts';

/** Milliseconds for one expression on one object. */
const usualTimeoutMs = 100;

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: 1_000, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 },
});

/** CEL of Kubernetes' dialect as far as the library knows it, bounded in size by its parser and in time by an
 *  interruption: macros over lists in macros over lists end in theory only.
 *  @param timeoutMs milliseconds, by the clock */
export function evaluateCel(expression: string, object: unknown, timeoutMs = usualTimeoutMs): CelResult {
  try {
    const result = stoppable((): unknown => environment.evaluate(expression, { object }), timeoutMs);
    return result.kind === 'stopped' ? { kind: 'stopped' } : { kind: 'value', value: result.value };
  } catch (cause) {
    return { kind: 'error', why: cause instanceof Error ? firstLine(cause.message) : 'unknown failure' };
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
