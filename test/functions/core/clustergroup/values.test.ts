import { describe, expect, test } from 'vitest';
import { importGroup } from '../../../../functions/core/clustergroup/import-group.ts';
import { sharedFilesOf, valueFilesOf } from '../../../../functions/core/clustergroup/value-files.ts';
import {
  isSet,
  mergeValues,
  plainValue,
  setParameter,
  type Value,
} from '../../../../functions/core/clustergroup/values.ts';
import { gate, gatesOf, imported, storage, virtualization, waveKey } from './group-of.ts';

describe('[S2-21] layers of values', () => {
  test('maps merge by key, deep; lists, texts and null replace', () => {
    const base = { a: { b: 1, list: [1, 2], text: 'x' }, kept: true };

    expect(mergeValues(base, { a: { c: 2, list: [3], text: null } })).toEqual({
      a: { b: 1, c: 2, list: [3], text: null },
      kept: true,
    });
    expect(mergeValues({ a: { b: 1 } }, { a: [1] })).toEqual({ a: [1] });
    expect(mergeValues({ a: [1] }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  });

  test('five layers touch one gate, and the last word of each key counts', () => {
    const group = imported(
      { subscriptions: { odf: { ...storage, sequenceJob: gate } } },
      { subscriptions: { odf: { annotations: { [waveKey]: '6' } } } },
      { subscriptions: { odf: { sequenceJob: { resourceName: 'gp3-csi' } } } },
      { subscriptions: { odf: { sequenceJob: { disabled: true } } } },
      { subscriptions: { odf: { sequenceJob: { disabled: false, syncWave: '9' } } } },
    );

    expect(group.operators).toMatchObject([{ wave: 6 }]);
    expect(gatesOf(group)).toMatchObject([{ wave: 9, waitsFor: { name: 'gp3-csi' } }]);
  });

  test('the list form is taken as listed, the map form by its sorted keys', () => {
    const asList = imported({ subscriptions: [virtualization, storage] });
    const asMap = imported({ subscriptions: { zz: storage, aa: virtualization } });

    expect(asList.operators.map(({ name }) => name)).toEqual(['hco', 'odf-operator']);
    expect(asMap.operators.map(({ name }) => name)).toEqual(['hco', 'odf-operator']);
  });

  test('parameters beat every file, and get their type from their text', () => {
    const files = [
      { path: 'a', values: { clusterGroup: { subscriptions: { odf: { ...storage, sequenceJob: gate } } } } },
    ];
    const path = 'clusterGroup.subscriptions.odf.sequenceJob';

    expect(gatesOf(importGroup(files, { [`${path}.disabled`]: 'true' }))).toEqual([]);
    expect(gatesOf(importGroup(files, { [`${path}.syncWave`]: '8' }))).toMatchObject([{ wave: 8 }]);
    expect(setParameter({}, 'a.b\\.c', 'null')).toEqual({ a: { 'b.c': null } });
    expect(setParameter({}, 'a', '4.18')).toEqual({ a: '4.18' });
  });

  test.each([
    ['false', true],
    [0, false],
    [null, false],
    [[], false],
    [{}, false],
    [{ a: null }, true],
  ] satisfies readonly (readonly [Value, boolean])[])('%j is as true as in a template: %j', (value, is) => {
    expect(isSet(value)).toBe(is);
  });

  test('data that is no plain YAML, or is nested too deep, is no value', () => {
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ inner }), 1);

    expect(plainValue({ at: new Date(0), list: [() => 1] })).toBeUndefined();
    expect(plainValue(deep)).toBeUndefined();
    expect(plainValue({ a: [undefined, 1] })).toEqual({ a: [null, 1] });
  });

  test('a key that is called like a built-in one is a key as any other', () => {
    const { operators } = imported(JSON.parse('{"subscriptions": {"__proto__": {"name": "x"}}}'));

    expect(operators.map(({ name }) => name)).toEqual(['x']);
  });
});

describe('[S2-21] the files that the framework looks for', () => {
  const place = { group: 'hub', platform: 'AWS', version: '4.18', clusterName: 'east' };

  test('nine layers, in their order, from the root or from a folder of the variant', () => {
    expect(valueFilesOf(place, 'root')).toEqual([
      'values-global.yaml',
      'values-hub.yaml',
      'values-AWS.yaml',
      'values-AWS-4.18.yaml',
      'values-AWS-hub.yaml',
      'values-4.18-hub.yaml',
      'values-east.yaml',
    ]);
    expect(valueFilesOf({ group: 'hub' }, 'variants')).toEqual(['values-global.yaml', 'variants/hub/values-hub.yaml']);
  });

  test('shared files are templates themselves, and one that is more than a look-up is named', () => {
    const files = {
      clusterGroup: {
        name: 'hub',
        sharedValueFiles: [
          '/overrides/values-{{ $.Values.global.clusterPlatform }}.yaml',
          'overrides/{{ .Values.clusterGroup.name }}-{{- $.Values.global.missing }}.yaml',
          '$patternref/plain.yaml',
          '{{ include "x" . }}',
        ],
      },
    };

    expect(sharedFilesOf(files, { global: { clusterPlatform: 'AWS' } })).toEqual({
      paths: ['overrides/values-AWS.yaml', 'overrides/hub-.yaml', 'plain.yaml'],
      notTaken: ['{{ include "x" . }}'],
    });
  });
});
