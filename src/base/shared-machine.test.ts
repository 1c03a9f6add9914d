import { expect, test } from 'vitest'
import { hasOtherPeople } from './shared-machine.ts'

const root = 'root:x:0:0:root:/root:/bin/bash'
const service = 'postgres:x:105:110::/var/lib/postgresql:/bin/bash'
const locked = 'build:x:1003:1003::/home/build:/usr/sbin/nologin'
const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin'
const ann = 'ann:x:1000:1000:Ann:/home/ann:/bin/zsh'
const bob = 'bob:x:1001:1001:Bob:/home/bob:/bin/bash'

test('a machine with one person is not shared, even if services have accounts on it', () => {
  expect(hasOtherPeople([root, service, locked, nobody, ann, ''].join('\n'), 1000)).toBe(false)
})

test('a machine with another account that can log in is shared', () => {
  expect(hasOtherPeople([root, ann, bob].join('\n'), 1000)).toBe(true)
  expect(hasOtherPeople([root, ann].join('\n'), 0)).toBe(true)
})
