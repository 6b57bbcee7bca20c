/** What a user would wonder about a client that is wired all the same: that it is nowhere to be seen, or that its plugin is not used. */
import type { HarnessDeclaration } from '@openviking/memory-core/full';
import { detect } from '../clients/detect.ts';
import { findCommand } from '../clients/find-command.ts';
import { registrationOf } from '../clients/survey.ts';
import type { ClientSurvey } from '../clients/survey.ts';
import type { Machine } from '../machine/machine.ts';
import type { Note } from './note.ts';

/** Before anything is written: the wiring itself makes a client's folder. */
export function notesOnClient(client: HarnessDeclaration, machine: Machine, survey: ClientSurvey): readonly Note[] {
  const { name } = client;
  const isSeen = detect(client, machine, survey.wishes.commands) !== undefined;
  const unseen: Note = { code: `${client.id}/not-found`, isWarning: false, say: (t) => t.clientNotFound(name) };
  return [...(isSeen ? [] : [unseen]), ...noteOnAbsentPlugin(client, machine, survey)];
}

function noteOnAbsentPlugin(client: HarnessDeclaration, machine: Machine, survey: ClientSurvey): readonly Note[] {
  if (survey.pluginCommands.length > 0) return [];
  // Without a version: an old build counts as one that could have a plugin.
  const registration = registrationOf(client, machine, { wishes: survey.wishes, clientVersion: undefined });
  if (registration === undefined) return [];
  const { commands } = registration;
  const found = commands.filter((command) => findCommand(command, machine) !== undefined);
  return [
    {
      code: `${client.id}/without-plugin`,
      isWarning: false,
      say: (t) =>
        found.length === 0 ? t.pluginNoCommand(client.name, commands) : t.pluginNoSupport(client.name, found),
    },
  ];
}
