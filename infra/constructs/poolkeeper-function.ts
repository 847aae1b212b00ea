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
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { type ICommandHooks, LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
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
  | 'handshake'
  | 'keep-pools'
  | 'send-alerts'
  | 'status'
  | 'watch-ticks'
  | 'redeliver'
  | 'relay-pushes'
  | 'preview-changes';

export interface PoolkeeperFunctionProps {
  readonly entry: Entry;
  /** One sentence for the console. */
  readonly description: string;
  readonly settings: Settings;
  /** MiB. Lambda gives one full virtual CPU at 1,769 MiB and a share of it below. Source: AWS Lambda, "Configure
   *  memory". */
  readonly memorySize: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  /** Environments kept ready; 0 = none. */
  readonly warm: number;
  /** Runs in a VPC. */
  readonly network?: Network | undefined;
  /** The checked configuration as JSON; copied beside the handler of a function that needs it. */
  readonly configurationFile?: string | undefined;
}

/** One function of the house: the bundle, its own log group and a role that may do nothing but write there and trace,
 *  until the stack grants it more. */
export class PoolkeeperFunction extends Construct implements IGrantable {
  readonly entry: Entry;
  readonly timeout: Duration;
  readonly fn: NodejsFunction;
  /** What callers, queues and schedules invoke: the function, or its alias whose environments are kept ready. */
  readonly target: NodejsFunction | Alias;
  readonly logs: LogGroup;
  readonly grantPrincipal: IPrincipal;

  constructor(scope: Construct, id: string, props: PoolkeeperFunctionProps) {
    super(scope, id);
    const { entry, settings } = props;
    const house = Stack.of(this).stackName;
    this.entry = entry;
    this.timeout = props.timeout;
    this.logs = new LogGroup(this, 'Logs', {
      logGroupName: `/${house}/${entry}`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not the role that CDK would make: its managed policy may write to every log group of the account.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `What ${entry} of ${house} may do`,
    });
    this.logs.grantWrite(role);
    this.grantPrincipal = role.grantPrincipal;
    this.fn = new NodejsFunction(this, 'Function', {
      functionName: `${house}-${entry}`,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      entry: `${repository}functions/${entry}/lambda.ts`,
      handler: 'handler',
      projectRoot: repository,
      depsLockFilePath: `${repository}package-lock.json`,
      memorySize: props.memorySize,
      timeout: props.timeout,
      role,
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      // Lambda filters by its own level, which would otherwise be INFO whatever the logger is told.
      applicationLogLevelV2: ApplicationLogLevel[settings.logLevel],
      tracing: Tracing.ACTIVE,
      environment: {
        POOLKEEPER_STAGE: settings.stage,
        POWERTOOLS_LOG_LEVEL: settings.logLevel,
        NODE_OPTIONS: '--enable-source-maps',
        ...props.environment,
      },
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        // Without it the AWS SDK resolves to CommonJS: half as large again, and failures at run time (aws-cdk issue
        // 29310).
        mainFields: ['module', 'main'],
        // A CommonJS dependency that requires a built-in of Node finds no `require` in an ES module.
        banner: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
        minify: true,
        keepNames: true,
        sourceMap: true,
        sourcesContent: false,
        // The SDK of the runtime changes under us; ours is the one that the tests ran.
        bundleAwsSDK: true,
        logLevel: LogLevel.WARNING,
        ...(props.configurationFile && { commandHooks: copyBeside(props.configurationFile) }),
      },
    });
    this.target =
      props.warm === 0 ? this.fn : this.fn.addAlias('live', { provisionedConcurrentExecutions: props.warm });
    if (props.network) this.putInto(props.network, role);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: props.network
        ? 'X-Ray takes no resource in its two actions, and Lambda creates its network interfaces only with a role that may do so on "*".'
        : 'X-Ray takes no resource in xray:PutTraceSegments and xray:PutTelemetryRecords; nothing else is granted on "*".',
    });
  }

  /** Lambda itself makes the interfaces, with the function's role. Code of the function may not: what it would gain
   *  is the network. Source: AWS Lambda, "Giving Lambda functions access to resources in an Amazon VPC". */
  private putInto({ subnetIds, securityGroupIds }: Network, role: Role): void {
    const resource = this.fn.node.defaultChild;
    if (!(resource instanceof CfnFunction)) throw new Error(`${this.entry} is no function`);
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

  /** Invocations that Lambda refused for want of concurrency. */
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

/** Copies the configuration into the bundle under the name that functions/shell/ reads by default. */
function copyBeside(file: string): ICommandHooks {
  return {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_inputDir, outputDir) => [`cp ${quoted(file)} ${quoted(`${outputDir}/poolkeeper.json`)}`],
  };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
