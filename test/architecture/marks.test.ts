import { expect, test } from 'vitest';
import { pauseFirstObjects } from '../../local/manifests/pause-first.ts';
import { specOf } from '../admission/evaluate-policy.ts';
import { sourceFiles } from './source-files.ts';

/** Who reads the mark of what the Machine Config Operator generated, and why it may: each explains what is on a cluster
 *  to people, and decides nothing. */
const readers: Readonly<Record<string, string>> = {
  'functions/core/diagnose/rules/render.ts':
    'which MachineConfigs are named as having changed just before a failed render',
  'functions/core/machine-config/cause-of-render.ts': 'words for why a pool was re-rendered',
  'functions/core/machine-config/causes-between.ts': 'words for why a pool was re-rendered',
  'functions/core/machine-config/lint/lint-name.ts': 'a hint that the operator will overwrite it',
  'functions/core/openshift/operator-machine-configs.ts':
    'beside a name of the operator, which MachineConfigs are not suspected of a failed render, or what they are made of',
  'functions/core/openshift/rendered-kinds.ts': 'the name of the annotation',
};

test('[C-11] [S0-3] a mark that anybody can set is read only where it explains something', () => {
  const found = sourceFiles(['events', 'functions'])
    .filter(({ text }) => /generatedByAnnotation|generated-by-controller-version/.test(text))
    .map(({ path }) => path);

  expect(found.toSorted()).toEqual(Object.keys(readers).toSorted());
});

test('[N-27] [C-11] no expression of the policy asks for a mark or a name that somebody chose', () => {
  const [policy] = pauseFirstObjects({ namespace: 'poolkeeper', pools: [], except: [] });
  const { matchConditions } = specOf(policy);
  // What a MachineOSBuild is built for, which it says itself, opens nothing: whatever it names counts.
  const text = JSON.stringify(policy).replace(/spec\.machineConfig\.name\.matches\(\\"\^rendered-[^)]*\)/, '');

  expect(text).not.toMatch(/generated-by|rendered-|ownerReferences|fieldManager/);
  expect(matchConditions.filter(({ expression }) => /bject\b/.test(expression))).toEqual([]);
});
