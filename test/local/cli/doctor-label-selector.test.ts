import { expect, test } from 'vitest';
import { isLabelSelector } from '../../../local/cli/doctor/label-selector.ts';

/** Each was tried with `labels.Parse` of k8s.io/apimachinery. */
test.each([
  '',
  ' ',
  'a',
  '! a',
  'a=b',
  'a = b, c!=d ,e==f',
  'a=',
  'a=,b',
  'a in (b)',
  'a in(b),c notin (d, e)',
  'a in ()',
  'a in (,b,)',
  'in in (in, notin)',
  'notin=in',
  'a>1,b < 20',
  'poolkeeper.dev/watch=true',
  'A_b.C-d/e=f'.toLowerCase().replace('_', '-'),
])('[C-13] Kubernetes reads it as a selector of labels: %s', (text) => {
  expect(isLabelSelector(text)).toBe(true);
});

test.each([
  ',',
  'a,',
  'a,,b',
  'a b',
  'team in platform',
  'a in (b',
  'a in b)',
  'a in (b c)',
  'a in (!b)',
  'ain (b)',
  '!!a',
  '!a=b',
  '!=a',
  'a===b',
  'a=!b',
  'a=b/c',
  'a=b c',
  'a>b',
  'a<',
  'a&b',
  '-a',
  'a=-b',
  'A/b=c',
  'a/b/c=d',
  '/a',
  'a/',
  'a'.repeat(64),
  `a=${'b'.repeat(64)}`,
  'app.kubernetes.io/name: x',
])('[C-13] Kubernetes reads it as none: %s', (text) => {
  expect(isLabelSelector(text)).toBe(false);
});
