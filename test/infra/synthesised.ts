import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { DeployedConfiguration } from '../../infra/configuration.ts';
import { PoolkeeperStack } from '../../infra/poolkeeper-stack.ts';
import { type Settings, type StageName, settingsOf } from '../../infra/settings.ts';
import { configuration } from './configuration.ts';

/** One resource of a template. */
export interface Resource {
  readonly id: string;
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation properties have no type here; tests say what they expect
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface Synthesised {
  readonly app: App;
  readonly stack: PoolkeeperStack;
  readonly template: Template;
  /** Those of nested stacks. */
  readonly nested: readonly Template[];
  readonly resources: readonly Resource[];
  ofType(type: string): readonly Resource[];
}

const repository = new URL('../../', import.meta.url);

/** cdk.json as the CLI reads it. */
const cdkJson: { readonly app: string; readonly context: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL('cdk.json', repository), 'utf8'),
);

export interface SynthesiseOptions {
  readonly settings?: Settings;
  readonly configuration?: DeployedConfiguration;
}

// Bundling belongs to `cdk synth`.
const context = { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] };

/** Synthesises a stack as the CLI would, with the feature flags of cdk.json; CloudFormation's own validation is left to
 *  the CLI, because it takes seconds to start. */
export function synthesise(options: SynthesiseOptions = {}): Synthesised {
  const outdir = mkdtempSync(join(tmpdir(), 'poolkeeper-infra-'));
  try {
    const app = new App({ outdir, context, builtinCloudFormationValidation: false });
    const stack = new PoolkeeperStack(app, 'Poolkeeper', {
      settings: options.settings ?? settingsOf('prod'),
      configuration: options.configuration ?? configuration,
      configurationFile: '/nowhere/poolkeeper.json',
    });
    const template = Template.fromStack(stack);
    const nested = stack.node
      .findAll()
      .filter((node) => NestedStack.isNestedStack(node))
      .map((part) => Template.fromStack(part));
    const found: Record<string, Omit<Resource, 'id'>> = template.toJSON()['Resources'];
    const resources = Object.entries(found).map(([id, resource]) => ({ id, ...resource }));
    return { app, stack, template, nested, resources, ofType: (type) => resources.filter(({ Type }) => Type === type) };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

const made = new Map<StageName, Synthesised>();

/** The stack of a stage with the configuration above, made once. */
export function stage(name: StageName): Synthesised {
  const known = made.get(name) ?? synthesise({ settings: settingsOf(name) });
  made.set(name, known);
  return known;
}

/** What a `Ref` or `Fn::GetAtt` points at. */
export function idOf(reference: unknown): string | undefined {
  if (typeof reference !== 'object' || reference === null) return undefined;
  if ('Ref' in reference) return String(reference.Ref);
  if ('Fn::GetAtt' in reference && Array.isArray(reference['Fn::GetAtt'])) return String(reference['Fn::GetAtt'][0]);
  return undefined;
}

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** What the role of a function may do. */
export function statementsOf(stack: Synthesised, entry: string): readonly Statement[] {
  const fn = stack
    .ofType('AWS::Lambda::Function')
    .find(({ Properties }) => Properties.FunctionName.endsWith(`-${entry}`));
  const role = idOf(fn?.Properties.Role);
  return stack
    .ofType('AWS::IAM::Policy')
    .filter(({ Properties }) => idOf(Properties.Roles[0]) === role)
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
}

/** A value with its references written out, for comparing and for looking for stars. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const [separator, parts] = value['Fn::Join'];
    return parts.map(text).join(separator);
  }
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt'])) return `\${${value['Fn::GetAtt'].join('.')}}`;
  if ('Ref' in value) return `\${${String(value.Ref)}}`;
  return JSON.stringify(value);
}

export function list<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

export interface WatchedMetric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

/** What an alarm watches, whether it is one metric or computed from several. */
export function metricsOf({ Properties: alarm }: Resource): readonly WatchedMetric[] {
  if (alarm.Metrics === undefined) return [alarm];
  const several: readonly { readonly MetricStat?: { readonly Metric: WatchedMetric } }[] = alarm.Metrics;
  return several.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
}
