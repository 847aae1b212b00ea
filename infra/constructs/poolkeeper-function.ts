import { fileURLToPath } from 'node:url';
import { type Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Effect, type IGrantable, type IPrincipal, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  ApplicationLogLevel,
  Architecture,
  CfnFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import {
  type BundlingOptions,
  type ICommandHooks,
  LogLevel,
  NodejsFunction,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Network, Settings } from '../settings.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The folders under functions/ that are deployed; each has a `lambda.ts` that exports `handler`. */
export type Entry =
  | 'receive-github'
  | 'receive-argocd'
  | 'receive-cluster'
  | 'receive-slack'
  | 'receive-callback'
  | 'handshake'
  | 'fleet-lock'
  | 'keep-pools'
  | 'send-alerts'
  | 'status'
  | 'watch-ticks'
  | 'redeliver'
  | 'relay-pushes'
  | 'preview-changes';

export interface PoolkeeperFunctionProps {
  readonly entry: Entry;
  /** Shown in the Lambda console. */
  readonly description: string;
  readonly settings: Settings;
  /** MiB. Lambda gives one full vCPU at 1,769 MiB and a share of it below. Source: AWS Lambda, "Configure memory". */
  readonly memorySize: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** Provisioned concurrency; 0 = none. */
  readonly warm: number;
  /** Reserved concurrency; 0 = none. */
  readonly reserved: number;
  /** What it sends to queues may invoke it again, as often as it takes. Otherwise Lambda stops such a chain after some
   *  sixteen invocations, and the message is a dead letter. Source: AWS Lambda, "Use Lambda recursive loop detection to
   *  prevent infinite loops". */
  readonly loops: boolean;
  /** Undefined: outside any VPC. */
  readonly network?: Network | undefined;
  /** The validated configuration as JSON, copied next to the handler; undefined: the function does not need it. */
  readonly configurationFile?: string | undefined;
}

/** One Lambda function: the bundle, its own log group, and a role that may only write logs and traces until the stack
 *  grants it more. */
export class PoolkeeperFunction extends Construct implements IGrantable {
  readonly entry: Entry;
  readonly timeout: Duration;
  readonly fn: NodejsFunction;
  /** What routes, queues and schedules invoke: the function, or its alias with provisioned concurrency. */
  readonly target: NodejsFunction | Alias;
  readonly logs: LogGroup;
  readonly grantPrincipal: IPrincipal;

  constructor(scope: Construct, id: string, props: PoolkeeperFunctionProps) {
    super(scope, id);
    const { entry, settings } = props;
    const { stackName } = Stack.of(this);
    this.entry = entry;
    this.timeout = props.timeout;
    this.logs = new LogGroup(this, 'Logs', {
      logGroupName: `/${stackName}/${entry}`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not the role that CDK would make: its managed policy allows writing to every log group of the account.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `What ${entry} of ${stackName} may do`,
    });
    this.logs.grantWrite(role);
    this.grantPrincipal = role.grantPrincipal;
    this.fn = new NodejsFunction(this, 'Function', {
      functionName: `${stackName}-${entry}`,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      entry: `${repository}functions/${entry}/lambda.ts`,
      handler: 'handler',
      projectRoot: repository,
      depsLockFilePath: `${repository}package-lock.json`,
      memorySize: props.memorySize,
      timeout: props.timeout,
      ...(props.loops && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(props.reserved > 0 && { reservedConcurrentExecutions: props.reserved }),
      role,
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      // Lambda filters by this level as well; it would default to INFO whatever the logger is set to.
      applicationLogLevelV2: ApplicationLogLevel[settings.logLevel],
      tracing: Tracing.ACTIVE,
      environment: {
        POOLKEEPER_STAGE: settings.stage,
        POWERTOOLS_LOG_LEVEL: settings.logLevel,
        NODE_OPTIONS: '--enable-source-maps',
        ...props.environment,
      },
      bundling: bundlingOf(props.configurationFile),
    });
    this.target =
      props.warm === 0 ? this.fn : this.fn.addAlias('live', { provisionedConcurrentExecutions: props.warm });
    if (props.network) this.attachToVpc(props.network, role);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: props.network
        ? 'X-Ray takes no resource in its two actions, and Lambda creates its network interfaces only with a role that may do so on "*".'
        : 'X-Ray takes no resource in xray:PutTraceSegments and xray:PutTelemetryRecords; nothing else is granted on "*".',
    });
  }

  /** Lambda creates the network interfaces with the function's role. The function's own code must not, or it could
   *  change the network. Source: AWS Lambda, "Giving Lambda functions access to resources in an Amazon VPC". */
  private attachToVpc({ subnetIds, securityGroupIds }: Network, role: Role): void {
    const resource = this.fn.node.defaultChild;
    if (!(resource instanceof CfnFunction)) throw new Error(`${this.entry} is not a CfnFunction`);
    resource.vpcConfig = { subnetIds: [...subnetIds], securityGroupIds: [...securityGroupIds] };
    role.addToPolicy(new PolicyStatement({ actions: networkActions, resources: ['*'] }));
    const { account, partition, region } = Stack.of(this);
    role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: networkActions,
        resources: ['*'],
        conditions: {
          ArnEquals: {
            'lambda:SourceFunctionArn': `arn:${partition}:lambda:${region}:${account}:function:${Stack.of(this).stackName}-${this.entry}`,
          },
        },
      }),
    );
  }

  /** Failed invocations. */
  errors(period: Duration): Metric {
    return this.fn.metricErrors({ period, statistic: 'Sum' });
  }

  /** Invocations that Lambda rejected because no concurrency was left. */
  throttles(period: Duration): Metric {
    return this.fn.metricThrottles({ period, statistic: 'Sum' });
  }

  invocations(period: Duration): Metric {
    return this.fn.metricInvocations({ period, statistic: 'Sum' });
  }

  /** The slowest invocation, in milliseconds. */
  slowestMs(period: Duration): Metric {
    return this.fn.metricDuration({ period, statistic: 'Maximum' });
  }
}

/** Source: the managed policy AWSLambdaVPCAccessExecutionRole without its log actions. */
const networkActions = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** What stands for a package that the Kubernetes client imports and none of ours calls. */
const withoutFetch = fileURLToPath(import.meta.resolve('../../functions/adapters/kubernetes/without-fetch.ts'));

/** Bundles one ES module per function, with the AWS SDK in it. */
function bundlingOf(configurationFile: string | undefined): BundlingOptions {
  return {
    format: OutputFormat.ESM,
    target: 'node24',
    // Without it the AWS SDK resolves to CommonJS: half as large again, and errors at run time (aws-cdk issue
    // 29310).
    mainFields: ['module', 'main'],
    // CommonJS dependencies that require a Node built-in find no `require` in an ES module.
    banner: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    minify: true,
    keepNames: true,
    sourceMap: true,
    sourcesContent: false,
    // The runtime's SDK changes without notice; this one was tested.
    bundleAwsSDK: true,
    esbuildArgs: { '--alias:undici': withoutFetch },
    logLevel: LogLevel.WARNING,
    ...(configurationFile && { commandHooks: copyIntoBundle(configurationFile) }),
  };
}

/** Copies the configuration into the bundle, under the name that functions/shell/ reads by default. */
function copyIntoBundle(file: string): ICommandHooks {
  return {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_inputDir, outputDir) => [`cp ${quoted(file)} ${quoted(`${outputDir}/poolkeeper.json`)}`],
  };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
