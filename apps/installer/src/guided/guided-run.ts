/**
 * `install` on a terminal, for somebody who has typed nothing but the name of the program: asks for what the command line
 * leaves open and turns the answers into the flags that would have said the same, so that there is one way to install.
 */
import { interrupted } from '../cli/interruption.ts';
import { askClients } from './clients-question.ts';
import { askConnection, presentConnection } from './connection-question.ts';
import { askLanguage, isLanguageKnown } from './language-question.ts';
import { fit } from './fit.ts';
import { planSummary } from './plan-summary.ts';
import type { Invocation } from '../cli/arguments.ts';
import type { CommandContext } from '../commands/outcome.ts';
import type { ShownChange } from '../plan/show-plan.ts';

/** Columns of the bar beside every text. */
const FRAME = 3;

export interface Guidance {
  /** The command line with the answers in it. */
  readonly invocation: Invocation;
  /** Present when questions were asked: sums up answers and plan, and asks the last one. */
  readonly confirm?: (title: string, changes: readonly ShownChange[]) => Promise<boolean>;
}

/** Asks, where there is something to ask and somebody to answer. Throws the refusal of an interruption when the user leaves. */
export async function guide(context: CommandContext, invocation: Invocation): Promise<Guidance> {
  const { machine, terminal } = context;
  const asksClients = invocation.harness === undefined && !invocation.all;
  // Whoever names the clients brings them up to date: a connection that is there is not called into question.
  const asksConnection = !namesConnection(invocation) && (asksClients || presentConnection(machine) === undefined);
  const mayAsk = terminal.canDraw && !invocation.yes && !invocation.dryRun;
  if (!mayAsk || machine.loadPrompts === undefined || !(asksClients || asksConnection)) return { invocation };

  const { createPrompter } = await machine.loadPrompts();
  const prompter = createPrompter({ ...terminal.console, signal: machine.signal });
  if (!isLanguageKnown(machine.env, invocation.lang)) terminal.speak(await askLanguage(prompter));
  const { texts } = terminal;
  prompter.open(texts.guidedTitle);
  const harness = asksClients ? await askClients(prompter, context, invocation) : invocation.harness;
  const connection = asksConnection ? await askConnection(prompter, context) : undefined;
  const key = connection?.flags.apiKey;
  if (key !== undefined && key !== '') terminal.keepSecret(key);
  return {
    invocation: { ...invocation, ...connection?.flags, harness },
    confirm: async (title, changes) => {
      const width = terminal.columns - FRAME;
      const memories = connection === undefined ? [] : [fit(texts.guidedMemories(connection.place), width)];
      prompter.tell([title, ...planSummary(changes, texts, machine, width), ...memories].join('\n'));
      const answer = await prompter.agree({
        message: texts.confirmPlan,
        yes: texts.guidedYes,
        no: texts.guidedNo,
      });
      if (answer === undefined) throw interrupted();
      return answer;
    },
  };
}

function namesConnection({ local, previous, url, apiKey, apiKeyEnv, apiKeyStdin }: Invocation): boolean {
  return local || previous || url !== undefined || apiKey !== undefined || apiKeyEnv !== undefined || apiKeyStdin;
}
