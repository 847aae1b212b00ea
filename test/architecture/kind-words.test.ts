import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kindWord } from '../../functions/core/text/kind-words.ts';
import { sourceFiles } from './source-files.ts';

const root = join(import.meta.dirname, '../..');

/** Kinds of Kubernetes itself, which the API server lists before those of any operator, and those of OpenShift's own
 *  operators of whose name no other group has one. */
const alone =
  /^(?:all|pods?|pdb|nodes?|csr|lease|secret|serviceaccount|validatingadmission|daemonset|deployment|mcp?|machineconfig(?:pool|node|uration)?s?|controllerconfig|machineosconfigs|machineosbuilds|osimagestreams|clusterversion|clusteroperator|co)$/;

const verbs = 'get|describe|delete|patch|scale|annotate|label|edit|wait';

/** The word after the verb, in a call of `command` and in plain text. */
const inCalls = new RegExp(`'oc',(?:\\s*'-n',[^,]+,)?\\s*'(?:${verbs})',\\s*'([^']+)'`, 'g');
const inWords = new RegExp(`\\b(?:oc|kubectl) (?:-n \\S+ )?(?:${verbs}) ([a-z][a-z.,-]*[a-z])`, 'g');

function shortIn(text: string): readonly string[] {
  return [...text.matchAll(inCalls), ...text.matchAll(inWords)]
    .map(([, kind = '']) => kind)
    .filter((kind) => !kind.includes('.') && !kind.split(',').every((each) => alone.test(each)));
}

test('[S1-12] [N-29] [N-30] a command names the group of a kind of which another group may have one of that name', () => {
  // The page of risks quotes what used to be printed.
  const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && path !== 'security.md')
    .map((path) => ({ path: `docs/${path}`, text: readFileSync(join(root, 'docs', path), 'utf8') }));

  const short = [...sourceFiles(['functions', 'local']), ...documents].flatMap(({ path, text }) =>
    shortIn(text).map((kind) => `${path}: ${kind}`),
  );

  expect(short).toEqual([]);
});

test('[S1-12] [N-29] machines, and what Argo CD has, are those of OpenShift and of Argo CD', () => {
  expect(['Machine', 'MachineSet', 'Application', 'ApplicationSet', 'AppProject'].map(kindWord)).toEqual([
    'machines.machine.openshift.io',
    'machinesets.machine.openshift.io',
    'applications.argoproj.io',
    'applicationsets.argoproj.io',
    'appprojects.argoproj.io',
  ]);
  expect(kindWord('MachineConfigPool')).toBe('machineconfigpool');
});
