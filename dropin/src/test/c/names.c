/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up names with their versions: names LIBRARY, then lines "VERSION NAME"; prints those that are missing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!library)
		return fprintf(stderr, "%s\n", dlerror()), 2;
	char version[64], name[128];
	int found = 0;
	while (scanf("%63s %127s", version, name) == 2) {
		if (dlvsym(library, name, version))
			found++;
		else
			printf("missing: %s %s\n", version, name);
	}
	printf("%d found\n", found);
	return 0;
}
