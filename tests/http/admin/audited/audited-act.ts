export type RequestValues = Readonly<Record<string, string>>;

/** The input of one request beside its path. */
export interface ActRequest {
  readonly values: RequestValues;
  /** Headers in place of those of the administrator. */
  readonly headers?: RequestValues;
  /** The actor in the audit, if it is another than usual. */
  readonly actor?: string;
}

export interface Act {
  /** Makes what the act is about. */
  readonly prepare: () => Promise<ActRequest>;
  readonly outcomes: readonly string[];
  /** The action in the audit, or that of each row; by default the name of the operation, or the path. */
  readonly action?: string | readonly string[] | undefined;
  /** True if it changes nothing but the audit. */
  readonly isIdle?: true;
  /** undefined: the open endpoints, where there is no right to be missed. */
  readonly isOpen?: true;
  /** Nobody needs a right for it. */
  readonly isFree?: true;
}

interface ActDetails extends Omit<Act, 'prepare' | 'outcomes'> {
  readonly headers?: RequestValues;
}

/** @param outcomes that of the only row of the audit, or of each */
export function act(
  values: () => RequestValues | Promise<RequestValues>,
  outcomes: string | readonly string[],
  { headers, ...more }: ActDetails = {},
): Act {
  return {
    prepare: async () => ({ values: await values(), ...(headers && { headers }) }),
    outcomes: [outcomes].flat(),
    ...more,
  };
}

/** An act that takes no right. */
export function free(
  prepare: Act['prepare'],
  outcomes: string | readonly string[],
  action?: Act['action'],
): Act {
  return { prepare, outcomes: [outcomes].flat(), action, isFree: true };
}

/** The parameters of endpoints that only look, where they need some to succeed. */
export const QUESTIONS: Readonly<Record<string, RequestValues>> = {
  '/admin/key/list': { count: '1' },
  '/admin/webhook/deliveries': { name: 'kept' },
  '/admin/webhook/show': { name: 'kept' },
  '/admin/realm/show': { name: 'north' },
  '/admin/resolver/show': { name: 'north' },
  '/admin/policy/show': { name: 'kept' },
  '/admin/policy/explain': { administrator: 'admin' },
  '/system/getResolver': { resolver: 'north' },
  '/admin/getTokenOwner': { serial: 'X' },
  '/admin/check_serial': { serial: 'X' },
  '/admin/getSerialByOtp': { otp: '755224' },
  '/admin/transaction/show': { transaction_id: 'X' },
  '/admin/helpdesk/search': { text: 'X' },
  '/admin/token/show': { serial: 'X' },
  '/admin/answer-address': { serial: 'X' },
  '/ocra/checkstatus': { serial: 'X' },
  '/admin/checkstatus': { serial: 'X' },
  '/ocra': { serial: 'X' },
  '/admin/userlist': { realm: 'north' },
  '/admin/helpdesk/person': { user: 'ann', realm: 'north' },
  '/admin/api-token/list': { administrator: 'admin' },
  '/ocra/calculateOtp': {
    ocrasuite: 'OCRA-1:HOTP-SHA256-8:C-QN08',
    otpkey: Buffer.from('12345678901234567890123456789012', 'ascii').toString('hex'),
    challenge: '12345678',
    counter: '0',
  },
};

/** Endpoints that only look, and answer any administrator as far as the rights go. */
export const LOOKS_FOR_ALL: readonly string[] = ['/admin/rights', '/admin/installation/overview'];
