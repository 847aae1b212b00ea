import { describe, expect, test } from 'vitest';
import { wordsOfCarried } from '../../../../functions/core/impact/carried.ts';
import { kindRules } from '../../../../functions/core/openshift/rendered-kinds.ts';
import { givenByHelm } from '../../../../functions/core/routing/template-actions.ts';

const web = `{{- if .Values.web }}
{{- $name := include "web.name" . -}}
# of the shop
apiVersion: {{ .Values.api }}
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "web.labels" . | nindent 4 }}
spec:
  replicas: 1
{{ toYaml .Values.more | indent 2 }}
{{- end }}
`;
const actionsOf = (text: string) => [...text.matchAll(/\{\{.*?\}\}/g)].join('\n');

const given = (text: string) => givenByHelm(text, text.split(/^---$/m));

describe('what Helm may make anything of', () => {
  test('[N-14] is nothing of what is no template', () => {
    expect(given('kind: MachineConfig\n')).toBe('');
  });

  test('[N-14] is the actions of objects that no node depends on', () => {
    expect(given(web)).toBe(actionsOf(web));
    expect(given(web.replaceAll('\n', '\r\n'))).toBe(actionsOf(web));
    expect(given(`${web}---\n# nothing\n---\n${web}`)).toBe(`${actionsOf(web)}\n${actionsOf(web)}`);
  });

  test.each([
    ['below a licence', (text: string) => `{{- /*\nCopyright\nkind: {{ x }}\n*/ -}}\n${text}`],
    ['with keys of a range', (text: string) => text.replace('spec:', '    {{ $key }}: {{ $value | quote }}\nspec:')],
    ['that may fail', (text: string) => text.replace('spec:', '  {{- fail "no name" }}\nspec:')],
    ['in a kind of its own', (text: string) => text.replace('Deployment', 'Certificate')],
  ])('[N-14] is the actions of such objects %s', (_, change) => {
    const text = change(web);

    expect(given(text)).not.toBe(text);
  });

  test.each([
    ['has what a comment does not end', '{{/* a\nkind: Deployment\nmetadata: {}\n'],
    ['has another kind behind a comment', 'kind: Job\n{{/* a */}}kind: {{ .x }}\n'],
    ['has keys at its beginning by values', 'kind: Job\n{{ .key }}: MachineConfig\n'],
    ['names its pool by a value', 'kind: MachineConfig\nmetadata:\n  name: 99-{{ .Values.role }}-x\n'],
    ['may hold other objects', 'kind: Policy\nmetadata:\n  name: {{ .Values.a }}\n'],
    ['has its kind from a value', 'kind: "{{ .Values.kind }}"\nmetadata: {}\n'],
    [
      'may have another kind',
      '{{- if .Values.x }}\nkind: Deployment\n{{- else }}\nkind: {{ .Values.kind }}\n{{- end }}\n',
    ],
    ['may have another kind on one line', 'kind: Job\n{{ if .x }}kind: {{ .y }}{{ end }}\n'],
    ['may have another kind by another spelling', 'kind: Job\n"kind": "{{ .x }}"\n'],
    ['includes what may begin another object', 'kind: Job\n{{ include "nodes.head" . }}\nspec: {}\n'],
    ['includes that further in', 'kind: Job\nspec:\n  {{- include "nodes.head" . }}\n'],
    ['has that in a comment', 'kind: Job\n# {{ include "nodes.head" . }}\n'],
    ['has that behind a line that only YAML ends', 'kind: Job\n# a\u2028kind: {{ .Values.kind }}\n'],
    ['is used by other templates', '# {{ define "nodes.args" }}\nkind: Job\n# {{ end }}\n'],
    ['is beside one that reaches nodes', `${web}---\nkind: KubeletConfig\nmetadata: {}\n`],
    ['has no kind at all', 'a: {{ .b }}\n'],
  ])('[N-14] [N-30] is all of a template that %s', (_, text) => {
    expect(given(text)).toBe(text);
  });

  test('[N-14] is all of a template of any kind that may reach nodes', () => {
    const kinds = [...kindRules.map(({ kind }) => kind), ...wordsOfCarried];
    const texts = kinds.map((kind) => `kind: ${kind}\nmetadata:\n  name: {{ .Values.a }}\n`);

    expect(texts.map(given)).toEqual(texts);
  });
});
