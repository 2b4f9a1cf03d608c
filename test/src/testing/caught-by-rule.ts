/** Broken storages that a rule must catch. The failure is then reported under the rule that they break. */
interface Caught {
  /** One that no other rule catches. */
  only: string
  /** Some that others may catch too. */
  also: string[]
}

export const caughtByRule: Record<string, Caught> = {
  'create returns true for a new id; for a taken one it returns false and changes nothing': {
    only: 'create adds the tag of a duplicate',
    also: [
      'create stores nothing',
      'ids lose their sign',
      'create always returns true',
      'create overwrites and returns false',
      'create returns true again for an identical plant',
      'tags are lost',
    ],
  },
  'ids are exact over the whole int64 range': {
    only: 'list is ordered by doubles',
    also: [
      'ids are int32',
      'ids are unsigned',
      'list is unordered',
      'create always returns true',
      'delete removes all plants of the owner',
      'delete removes the next id if there is no such plant',
      'list is ordered by decimal text',
      'list is ordered by int32 differences',
    ],
  },
  'stored plants are independent of the objects passed in and returned': {
    only: 'create keeps the object passed in',
    also: ['create stores nothing'],
  },
  'an owner’s plants can be created in any order, all be deleted, and be created again': {
    only: 'at most 100 plants can be created in descending order',
    also: [
      'all owners share their plants',
      'a page has at most 100 plants',
      'delete removes all plants of the owner',
      'delete removes nothing',
      'deleted ids stay taken',
      'an owner whose 100 plants were deleted can create no more',
    ],
  },
  'list returns the first limit plants with id > after, at every boundary': {
    only: 'limit is a 16-bit number',
    also: [
      'ids are int32',
      'a page has one plant too many',
      'a page has one plant too few',
      'a page has the last plants',
      'after 0 is ignored',
      'after is inclusive',
      'after + 1 overflows',
      'after must be a stored id',
      'a missing after is the smallest id',
    ],
  },
  'after is exact over the whole int64 range': {
    only: 'after is a double below 0',
    also: ['ids are doubles in the key only', 'after is a double around 2^62'],
  },
  'only the last page may be short, even if deleted and other owners’ plants lie between': {
    only: 'a page is filtered from twice as many plants and tombstones',
    also: [
      'a page has one plant too few',
      'limit applies before the filter by owner',
      'limit applies before the filter of tombstones',
      'delete always returns false',
      'after is ignored',
    ],
  },
  'list sees every completed call, even if the page was read or the id was used before': {
    only: 'create restores the previous tag of the id',
    also: [
      'deleted ids stay taken',
      'cached pages never expire',
      'cached pages expire on create only',
      'create restores the previous plant of the id',
      'delete always returns false',
    ],
  },
  'delete returns true and removes only that plant, or returns false and changes nothing': {
    only: 'delete removes all plants with the same name and tag',
    also: [
      'create stores nothing',
      'delete always returns false',
      'delete removes nothing',
      'ids are int32',
      'list is descending',
      'delete always returns true',
      'delete returns true again for a deleted plant',
      'names are unique',
      'id 0 cannot be deleted',
      'delete removes all ids with the same prefix',
    ],
  },
  'owners are compared exactly: similar names are different owners': {
    only: 'owners are in lower case',
    also: [
      'owners are patterns',
      'delete removes the id from all owners',
      'delete removes nothing',
    ],
  },
  'owners of up to 1404 bytes of UTF-8 are stored and compared in full': {
    only: 'owners are cut in the middle',
    also: [
      'list selects by the prefix owner',
      'delete removes the id from all owners',
      'delete removes nothing',
    ],
  },
  'the key is the pair of owner and id, not their concatenation': {
    only: 'the key is owner and id with a dash',
    also: [
      'the key is owner and id without separator',
      'list selects by the prefix owner and colon',
    ],
  },
  'an owner cannot see, block or delete another owner’s plant': {
    only: 'delete falls back on the first owner if the owner has no plants',
    also: [
      'all owners share their plants',
      'ids are unique across owners',
      'create stores nothing',
      'delete always returns true',
      'delete always returns false',
      'delete removes nothing',
      'delete removes the id from all owners',
    ],
  },
  'names and tags are returned unchanged': {
    only: 'names are parsed as numbers',
    also: [],
  },
  'every character of a name or tag is preserved': {
    only: 'names lose isolates',
    also: ['names are unique', 'tags lose kana'],
  },
  'a missing tag stays missing, and an empty tag stays empty': {
    only: 'an undefined tag cannot be bound',
    also: [
      'names are unique',
      'empty tags are lost',
      'missing tags become empty',
      'the tag "null" becomes missing',
    ],
  },
  'only the last page may be short, even if the plants are large': {
    only: 'a page has at most one megabyte',
    also: ['a page has one plant too few', 'after is ignored'],
  },
  'names and tags that fill a body of 1048576 bytes are returned whole': {
    only: 'names are decoded in chunks',
    also: ['names are cut after a million characters', 'tags are cut after 65535 characters'],
  },
  'exactly one of many concurrent creates with one id returns true, and its plant is stored': {
    only: 'concurrent creates of identical plants share one result',
    also: [
      'create throws for a duplicate',
      'create looks, waits, then stores',
      'create returns false before the other plant is stored',
      'the first create returns true, the last one is stored',
    ],
  },
  'exactly one of many concurrent deletes of one plant returns true': {
    only: 'delete returns false before the other delete has removed the plant',
    also: [
      'delete looks, waits, then removes',
      'delete returns before it removes',
      'delete removes all plants of the owner',
      'delete throws if there is no such plant',
    ],
  },
  'concurrent calls for different plants do not affect each other': {
    only: 'a batch of concurrent creates stores its first 100 plants',
    also: [
      'of many concurrent creates, only 100 are stored',
      'create overwrites and returns true',
      'create throws for a duplicate',
    ],
  },
  'racing creates and deletes of one id are seen whole and leave the state that they returned': {
    only: 'create stores the tag after the name',
    also: [
      'create looks, waits, then stores',
      'delete looks, waits, then removes',
      'delete throws if there is no such plant',
    ],
  },
  'pages read during other creates and deletes contain each unaffected plant once': {
    only: 'list reads ids, then the plants that still exist',
    also: [
      'after is ignored',
      'deleted ids stay taken',
      'delete removes all ids with the same prefix',
    ],
  },
  'concurrent lists each return the requested page': {
    only: 'cached pages have ambiguous keys',
    also: ['ids are unique across owners'],
  },
  'a list is a snapshot of one moment': {
    only: 'list reads 10 plants at a time',
    also: ['ids lose their sign', 'list combines two reads', 'delete always returns false'],
  },
  '1200 plants of one owner are listed completely, at every page boundary': {
    only: 'a page has at most 1000 plants',
    also: [
      'a page has one plant too many',
      'a page has one plant too few',
      'tags are lost from index 100 on',
      'after is ignored',
      'list is unordered',
      'create stores nothing',
      'delete looks for the plant among the first 100',
      'create looks for duplicates among the first 100 plants',
    ],
  },
}
