import type * as z from 'zod';
import { ifGiven } from '../text/if-given.ts';

type Written = Readonly<Record<string, unknown>>;

/** Whether it is a gate at all: a group of gates has none of its own. */
function asksSomething(gate: Written): boolean {
  return ['resourceType', 'preset', 'image', 'command', 'http'].some((key) => gate[key] !== undefined);
}

/** What is wrong with a gate as a whole; its fields are right by themselves. */
interface GateProblem {
  /** The field that is wrong; undefined: all of it. */
  readonly key: string | undefined;
  readonly must: string;
}

/** Fields that only make sense of objects. */
const ofObjects = ['resourceName', 'selector', 'condition', 'path', 'cel', 'count', 'version', 'health'];

/** `image` beside `resourceType` is the image of the hook that is rendered, as in the chart; what is asked there is
 *  the object. */
function gateProblems(gate: Written): readonly GateProblem[] {
  const has = (key: string) => gate[key] !== undefined;
  const ofObject = has('resourceType') || has('preset');
  const asked = [ofObject, has('http'), has('command') || (has('image') && !ofObject)];
  if (asked.filter(Boolean).length !== 1)
    return [
      { key: undefined, must: 'must have exactly one of resourceType (or preset), image with command, and http' },
    ];
  return [
    ...ofObjects.filter((key) => has(key) && !ofObject).map((key) => ({ key, must: 'must stand beside resourceType' })),
    ...pairProblems(gate, has),
  ];
}

function pairProblems(gate: Written, has: (key: string) => boolean): readonly GateProblem[] {
  const { oneOf: values, resourceType } = gate;
  const compares = has('equals') || (Array.isArray(values) && values.length > 0);
  const isApplication = /^app(?:s|lications?)?(?:\.argoproj\.io)?$/i.test(String(resourceType));
  return [
    ...(has('command') && !has('image') ? [{ key: 'command', must: 'must stand beside image' }] : []),
    ...(has('serviceAccount') && !has('image') ? [{ key: 'serviceAccount', must: 'must stand beside image' }] : []),
    ...(has('resourceName') && has('selector')
      ? [{ key: 'selector', must: 'must not stand beside resourceName' }]
      : []),
    ...(compares && !has('path') ? [{ key: undefined, must: 'must have path beside equals and oneOf' }] : []),
    ...(has('health') && !isApplication
      ? [{ key: 'health', must: 'must stand beside resourceType: applications.argoproj.io' }]
      : []),
  ];
}

/** Adds what is wrong with a gate as a whole. */
export function checkGate(gate: Written, context: z.RefinementCtx): void {
  if (gate['disabled'] === true) return;
  for (const { key, must } of gateProblems(gate))
    context.addIssue({ code: 'custom', path: ifGiven(key), message: must });
}

/** The same for a gate that may be a group of gates instead. */
export function checkWaitFor(waitFor: Written, context: z.RefinementCtx): void {
  const isGroup = [waitFor['all'], waitFor['any']].some((each) => Array.isArray(each) && each.length > 0);
  if (!isGroup || asksSomething(waitFor)) checkGate(waitFor, context);
}
