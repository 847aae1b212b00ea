import { expect, it } from 'vitest';
import { TurnRule } from '../../../../functions/core/configuration/node-turns.ts';
import { type Invocation, judgeInvocation } from '../../../../functions/core/node-turns/rule-invocation.ts';

it.each<[Invocation, object]>([
  [
    { kind: 'returned', text: 'null' },
    { kind: 'complete', said: '' },
  ],
  [
    { kind: 'returned', text: '{"status":"done","message":"noted"}' },
    { kind: 'complete', said: 'noted' },
  ],
  [
    { kind: 'returned', text: '{"status":"pending","message":"1 of 3"}' },
    { kind: 'running', note: 'not yet: 1 of 3' },
  ],
  [
    { kind: 'returned', text: '{"status":"failed","message":"no primary"}' },
    { kind: 'failed', why: 'no primary' },
  ],
  [
    { kind: 'threw', text: '{"errorMessage":"Task timed out"}' },
    { kind: 'failed', why: 'the function failed: Task timed out' },
  ],
  [
    { kind: 'silent', why: 'nobody answered' },
    { kind: 'running', note: 'nobody answered' },
  ],
  [
    { kind: 'denied', why: 'not there' },
    { kind: 'unseen', why: 'not there', isRefused: true },
  ],
  [
    { kind: 'refused', why: 'too long' },
    { kind: 'refused', why: 'too long' },
  ],
])('[S4-26] what %o says of a rule of type lambda', (invocation, seen) => {
  expect(judgeInvocation(invocation)).toEqual(seen);
});

it.each<[object, string]>([
  [{ type: 'lambda' }, 'type lambda needs functionName, cleanUpFunctionName, or both'],
  [{ type: 'lambda', lambda: {} }, 'type lambda needs functionName, cleanUpFunctionName, or both'],
  [
    { type: 'http', http: { url: 'https://example.com' }, lambda: { functionName: 'a' } },
    'must stand beside type: lambda',
  ],
  [{ type: 'lambda', lambda: { functionName: 'a b' } }, 'must be the name or the ARN of a Lambda function'],
  [{ type: 'lambda', jobName: 'a', lambda: { functionName: 'a' } }, 'must not stand beside type: lambda'],
])('[S4-26] rule %o is refused: %s', (rule, why) => {
  expect(TurnRule.safeParse(rule).error?.issues.map(({ message }) => message)).toContain(why);
});
