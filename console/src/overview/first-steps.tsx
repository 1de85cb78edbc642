import { Alert, Anchor, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { type Texts, useTexts } from '../language/language.ts';
import { AnswerAddress } from '../policies/answer-address.tsx';
import { useSession } from '../session/session.tsx';

export type FirstStepsValue = ValueOf<'/admin/installation/first-steps'>;

const STEPS = ['resolver', 'realm', 'address', 'token', 'second_factor', 'backup'] as const;
type Step = (typeof STEPS)[number];

interface FirstStepsTexts {
  readonly title: string;
  readonly done: string;
  readonly open: string;
  readonly steps: Readonly<Record<Step, string>>;
  readonly backup: string;
}

const texts: Texts<FirstStepsTexts> = {
  en: {
    title: 'First steps',
    done: 'done',
    open: 'to do',
    steps: {
      resolver: 'Add a resolver, where the users are',
      realm: 'Make a realm of it',
      address: 'Set the address to which apps send responses',
      token: 'Enrol the first token',
      second_factor: 'Give an administrator a second factor',
      backup: 'Make a backup',
    },
    backup: 'on the machine of the server:',
  },
  de: {
    title: 'Erste Schritte',
    done: 'erledigt',
    open: 'offen',
    steps: {
      resolver: 'Einen Resolver anlegen, in dem die Benutzer sind',
      realm: 'Daraus einen Realm machen',
      address: 'Die Adresse setzen, an die Apps Antworten schicken',
      token: 'Das erste Token ausrollen',
      second_factor: 'Einem Administrator einen zweiten Faktor geben',
      backup: 'Eine Sicherung machen',
    },
    backup: 'auf der Maschine des Servers:',
  },
};

/** @returns true if anything is left to do */
export function hasOpenSteps(steps: FirstStepsValue): boolean {
  return STEPS.some((step) => !steps[step]);
}

/** What a new installation needs, each with the way to do it. */
export function FirstSteps({ steps }: { readonly steps: FirstStepsValue }): ReactNode {
  const t = useTexts(texts);
  return (
    <Alert color="blue" title={t.title} role="region" aria-label={t.title}>
      <ol>
        {STEPS.map((step) => (
          <li key={step}>
            <strong>{steps[step] ? `✓ ${t.done}` : t.open}:</strong>{' '}
            {steps[step] ? t.steps[step] : <OpenStep step={step} name={t.steps[step]} steps={steps} />}
          </li>
        ))}
      </ol>
    </Alert>
  );
}

interface OpenStepProps {
  readonly step: Step;
  readonly name: string;
  readonly steps: FirstStepsValue;
}

function OpenStep({ step, name, steps }: OpenStepProps): ReactNode {
  const t = useTexts(texts);
  const session = useSession();
  const mayChange = session.may('system', 'write');
  const pages: Readonly<Record<Exclude<Step, 'address' | 'backup'>, string | undefined>> = {
    resolver: mayChange ? '/new-resolver' : undefined,
    realm: mayChange ? '/realms' : undefined,
    token: session.may('admin', 'init') && session.may('admin', 'show') ? tokenPage(session) : undefined,
    second_factor: '/account',
  };
  if (step === 'address') {
    return (
      <>
        {name} <AnswerAddress realm="*" proposed={steps.proposed} />
      </>
    );
  }
  if (step === 'backup') {
    return (
      <>
        {name}, {t.backup} <Code>tankeeper export FILE</Code>
      </>
    );
  }
  const page = pages[step];
  return page === undefined ? name : <Anchor href={`#${page}`}>{name}</Anchor>;
}

/** The person is chosen first; a token of nobody is for those whose right no realm binds. */
function tokenPage(session: ReturnType<typeof useSession>): string {
  return session.mayEverywhere('admin', 'init') ? '/enrol' : '/search';
}
