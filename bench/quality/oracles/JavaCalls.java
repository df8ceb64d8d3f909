// What javac says about every call in the files below a folder.
//
//     java --add-exports ... JavaCalls.java FOLDER [OPTION of javac...]
//
// A line of JSON for each place where a method or a constructor is called: [file, line, column, [file, symbol] or null].
// null stands for something that is not in the folder. Members of classes without a name are left out, as are calls that
// the compiler adds itself. Lines that begin with "extends" name a type and another that it is declared to extend or to
// implement, those with "type" all types that were asked.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class JavaCalls {
    static Path root;
    static Trees trees;
    static PrintStream out;

    public static void main(String[] args) throws Exception {
        root = Path.of(args[0]).toRealPath();
        out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false, "UTF-8");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        List<File> sources;
        try (Stream<Path> found = Files.walk(root)) {
            sources = found.filter(path -> path.toString().endsWith(".java")).map(Path::toFile).collect(Collectors.toList());
        }
        List<String> options = new ArrayList<>(List.of("-proc:none", "-Xmaxerrs", "1", "-nowarn"));
        options.addAll(List.of(args).subList(1, args.length));
        JavacTask task = (JavacTask) compiler.getTask(
            new StringWriter(), files, problem -> {}, options, null, files.getJavaFileObjectsFromFiles(sources));
        trees = Trees.instance(task);
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        for (CompilationUnitTree unit : units) {
            new Teller(unit).scan(unit, null);
        }
        out.flush();
    }

    static class Teller extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final String file;

        Teller(CompilationUnitTree unit) {
            this.unit = unit;
            this.file = inside(unit.getSourceFile());
        }

        @Override public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
            ExpressionTree select = call.getMethodSelect();
            Symbol symbol = TreeInfo.symbol((JCTree) select);
            long end = trees.getSourcePositions().getEndPosition(unit, select);
            if (symbol instanceof Symbol.MethodSymbol && end >= 0) {
                String name = select instanceof MemberSelectTree ? ((MemberSelectTree) select).getIdentifier().toString()
                    : select.toString();
                tell(end - name.length(), (Symbol.MethodSymbol) symbol);
            }
            return super.visitMethodInvocation(call, nothing);
        }

        @Override public Void visitNewClass(NewClassTree made, Void nothing) {
            Symbol symbol = ((JCTree.JCNewClass) made).constructor;
            Tree name = made.getIdentifier();
            if (name instanceof ParameterizedTypeTree) {
                name = ((ParameterizedTypeTree) name).getType();
            }
            if (name instanceof AnnotatedTypeTree) {
                name = ((AnnotatedTypeTree) name).getUnderlyingType();
            }
            long end = trees.getSourcePositions().getEndPosition(unit, name);
            if (symbol instanceof Symbol.MethodSymbol && end >= 0) {
                String last = name instanceof MemberSelectTree ? ((MemberSelectTree) name).getIdentifier().toString() : name.toString();
                Symbol.MethodSymbol target = (Symbol.MethodSymbol) symbol;
                if (made.getClassBody() != null) {  // what is constructed is the class that the body extends
                    Symbol type = TreeInfo.symbol((JCTree) name);
                    if (type == null || type.isInterface()) {
                        tell(end - last.length(), (String) null);
                    } else {
                        tell(end - last.length(), place(type));
                    }
                } else {
                    tell(end - last.length(), target);
                }
            }
            return super.visitNewClass(made, nothing);
        }

        @Override public Void visitClass(ClassTree type, Void nothing) {
            Element element = trees.getElement(getCurrentPath());
            if (element instanceof Symbol.ClassSymbol && !((Symbol.ClassSymbol) element).isAnonymous()) {
                String own = place((Symbol) element);
                if (own != null && !own.equals("?")) {
                    out.println("[\"type\"," + own + "]");
                }
                List<Tree> above = new ArrayList<>(type.getImplementsClause());
                if (type.getExtendsClause() != null) {
                    above.add(type.getExtendsClause());
                }
                for (Tree each : above) {
                    Tree plain = each instanceof ParameterizedTypeTree ? ((ParameterizedTypeTree) each).getType() : each;
                    Symbol symbol = TreeInfo.symbol((JCTree) plain);
                    String other = symbol == null ? null : place(symbol);
                    if (own != null && other != null && !own.equals("?") && !other.equals("?")) {
                        out.println("[\"extends\"," + own + "," + other + "]");
                    }
                }
            }
            return super.visitClass(type, nothing);
        }

        void tell(long at, Symbol.MethodSymbol target) {
            tell(at, place(target.isConstructor() ? target.owner : target));
        }

        void tell(long at, String target) {
            if (target == null || !target.equals("?")) {
                LineMap lines = unit.getLineMap();
                long line = lines.getLineNumber(at);
                out.println("[\"" + file + "\"," + line + "," + (at - lines.getPosition(line, 1)) + "," + target + "]");
            }
        }
    }

    /** The file and the qualified name of a symbol; null outside of the folder, "?" for what has no name of its own. */
    static String place(Symbol symbol) {
        Symbol top = symbol;
        while (top.owner != null && top.owner.kind != com.sun.tools.javac.code.Kinds.Kind.PCK) {
            top = top.owner;
        }
        JavaFileObject source = top instanceof Symbol.ClassSymbol ? ((Symbol.ClassSymbol) top).sourcefile : null;
        String file = source == null ? "" : inside(source);
        if (file.isEmpty()) {
            return null;
        }
        Deque<String> names = new ArrayDeque<>();
        for (Symbol at = symbol; at != null && at.kind != com.sun.tools.javac.code.Kinds.Kind.PCK; at = at.owner) {
            if (at.name.isEmpty() || (at instanceof Symbol.ClassSymbol && !(at.owner instanceof Symbol.ClassSymbol)
                && at.owner.kind != com.sun.tools.javac.code.Kinds.Kind.PCK)) {
                return "?";
            }
            names.addFirst(at.name.toString());
        }
        return "[\"" + file + "\",\"" + String.join(".", names) + "\"]";
    }

    static String inside(JavaFileObject file) {
        if (!"file".equals(file.toUri().getScheme())) {
            return "";
        }
        Path path = Path.of(file.toUri());
        return path.startsWith(root) ? root.relativize(path).toString().replace('\\', '/') : "";
    }
}
